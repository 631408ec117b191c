import ActivityContract
import GatewayService
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

Gateway.main(contracts: [.identity, .activity, .social, .rewards, .notifications])
