import IdentityService

Identity.main()
