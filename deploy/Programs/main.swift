import ActivityContract
import ActivityService
import Administration
import Foundation
import GatewayService
import IdentityContract
import IdentityService
import NotificationsContract
import NotificationsService
import Operations
import RewardsContract
import RewardsService
import SocialContract
import SocialService

// All programs of a cluster in one, as releases have them: what the six share lies once on the disk and once in memory. Which one a process
// is, the name says by which it was started.

let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent

if name == "racha-admin" { Administration.main() }

switch ServiceName(rawValue: name) {
case .gateway: Gateway.main(contracts: [.identity, .activity, .social, .rewards, .notifications])
case .identity: Identity.main()
case .activity: Activities.main()
case .social: Social.main()
case .rewards: Rewards.main()
case .notifications: Notifications.main()
case nil:
  let names = ServiceName.allCases.map(\.rawValue) + ["racha-admin"]
  FileHandle.standardError.write(Data("Start this by one of its names: \(names.joined(separator: ", "))\n".utf8))
  exit(64)
}
