import NotificationsService
import Operations
import ServiceKit

await ServiceProcess.run(.notifications) { environment in try Notifications.service(environment) }
