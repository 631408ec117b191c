import IdentityService
import Operations
import ServiceKit

await ServiceProcess.run(.identity) { environment in
  [try ServiceHost(try await Identity.service(environment), environment)]
}
