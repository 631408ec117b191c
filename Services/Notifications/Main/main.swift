import NotificationsService
import Operations
import ServiceKit

await ServiceProcess.run(.notifications) { try Notifications.service($0) }
