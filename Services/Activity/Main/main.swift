import ActivityService
import Operations
import ServiceKit

ServiceProcess.start(.activity, decoders: Activities.decoders) { Activities.service($0) }
