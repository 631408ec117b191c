import ActivityService
import Operations
import ServiceKit

await ServiceProcess.run(.activity) { try .activity($0) }
