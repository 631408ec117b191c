import SocialService

Social.main()
