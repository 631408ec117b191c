import Operations
import RewardsService
import ServiceKit

await ServiceProcess.run(.rewards) { try .rewards($0) }
