import ActivityService
import Operations
import ServiceKit

ServiceProcess.start(.activity, decoders: ServiceDefinition.activityDecoders) { .activity($0) }
