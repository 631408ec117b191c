import Administration

Administration.main()
