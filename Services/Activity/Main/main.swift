import ActivityService
import Operations
import ServiceKit

await ServiceProcess.run(.activity) { .activity($0) }
