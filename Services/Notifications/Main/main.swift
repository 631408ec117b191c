import NotificationsService
import ServiceKit

await ServiceProcess.run(.notifications) { environment in try Notifications.service(environment) }
