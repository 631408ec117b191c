import ActivityContract
import GatewayService
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract

@main
struct Main {
  static func main() async {
    await ServiceProcess.run(.gateway, health: LivenessProbe.health) { environment in
      var configuration = GatewayConfiguration(environment.settings)
      configuration.mailbox = MailboxAccess(environment.settings, environment.home, environment.logger)
      let gateway = try Gateway(
        configuration: configuration, bus: environment.bus,
        contracts: [.identity, .activity, .social, .rewards, .notifications], logger: environment.logger,
        clock: environment.clock,
        metrics: environment.metrics)
      return [BusRunner(environment.bus), gateway]
    }
  }
}
