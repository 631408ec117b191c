import NotificationsService

Notifications.main()
