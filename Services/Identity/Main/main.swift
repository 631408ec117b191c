import IdentityService
import Operations
import ServiceKit

ServiceProcess.start(.identity, decoders: Identity.decoders) { try await Identity.service($0) }
