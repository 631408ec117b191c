import ActivityService
import ServiceKit

await ServiceProcess.run(.activity) { .activity($0) }
