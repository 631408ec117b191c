import Operations
import RewardsService
import ServiceKit

await ServiceProcess.run(.rewards) { try Rewards.service($0) }
