import IdentityService
import Operations
import ServiceKit

await ServiceProcess.run(.identity) { try await Identity.service($0) }
