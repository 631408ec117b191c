import ActivityContract
import Client
import Cluster
import IdentityContract
import Operations
import SocialContract

/// The accounts that the bench works with: registered, verified, signed in.
struct People {
  struct Person {
    let client: GatewayClient
    let account: OwnAccount
    let token: String
    let login: LogIn.Input
  }

  let all: [Person]
  var first: Person { all[0] }

  init(_ cluster: RunningCluster) async throws {
    var all: [Person] = []
    for index in 0..<4 { all.append(try await People.make("bench.person\(index)", cluster)) }
    self.all = all
  }

  static func make(_ username: String, _ cluster: RunningCluster) async throws -> Person {
    let password = "Bench-\(username)-1!"
    let member = try await cluster.join(username, password: password, consentsToLocation: true)
    return Person(
      client: member.client, account: member.account, token: member.accessToken,
      login: LogIn.Input(login: username, password: password))
  }

  /// Gives the first person so many friends.
  func makeFriends(_ count: Int, _ cluster: RunningCluster) async throws {
    for index in 0..<count {
      let friend = try await People.make("bench.friend\(index)", cluster)
      let request = try await first.client.call(SendFriendRequest.self, .init(username: friend.account.username))
      _ = try await friend.client.call(AcceptFriendRequest.self, .init(friendRequestID: request.id))
    }
  }

  /// Activities of the first person with a countable goal.
  func makeActivities(_ count: Int) async throws -> [ActivityID] {
    var ids: [ActivityID] = []
    for index in 0..<count {
      let activity = try await first.client.call(
        CreateActivity.self,
        .init(title: "Bench \(index)", category: .other, goal: .quantity(1000, unit: "times"), schedule: .daily))
      ids.append(activity.id)
    }
    return ids
  }
}
