import Operations
import RewardsService
import ServiceKit

ServiceProcess.start(.rewards, decoders: Rewards.decoders) { try Rewards.service($0) }
