import ActivityService

Activities.main()
