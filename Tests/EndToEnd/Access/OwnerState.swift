import ActivityContract
import Client
import NotificationsContract
import Operations
import RewardsContract
import Testing

/// All that the owner can read: each list and document of the contracts, as text by its address.
struct OwnerState: Equatable, Sendable {
  private let texts: [String: String]

  /// What time alone changes, or is made anew each time.
  private static let changing: Set = ["lastSeenAt", "nextCursor"]
  /// The same of a code that is presented, which expires within minutes.
  private static let changingOfCode: Set = ["payload", "expiresAt"]

  /// What has to be asked of those that ask for more than who calls.
  private static func query(_ spec: OperationSpec, _ things: Things) -> String {
    switch spec.name {
    case ListMovementDays.spec.name: "?from=\(things.day(-2))&to=\(things.today)"
    case ListLeaderboard.spec.name: "?metric=steps"
    case ListNotificationsSince.spec.name: "?after=0"
    case GetOfferStatistics.spec.name: "?from=\(things.day(-2))&to=\(things.day(1))"
    default: ""
    }
  }

  /// Reads it all. What cannot be read is a fault of the tests, which have to say how.
  static func read(_ scene: AccessScene) async throws -> OwnerState {
    let owner = try scene.caller(.owner)
    var paths: [String] = []
    for operation in Everything.accountOperations where operation.spec.route?.method == .get {
      let spec = operation.spec
      if !NamedThings.fields(of: operation).contains(where: { spec.route?.parameters.contains($0) == true }) {
        paths.append(EmptyCall.path(try #require(spec.route)) + query(spec, scene.things))
      }
      for entry in AccessTable.all.entries where entry.spec.name == spec.name {
        guard case .owned(_, .done) = entry.rule else { continue }
        paths.append(try entry.path(scene.things, owner))
      }
    }
    var texts: [String: String] = [:]
    for path in paths {
      let (status, text) = try await owner.client.get(path)
      #expect(status == 200, "\(path) \(text)")
      texts[path] = steady(text)
    }
    return OwnerState(texts: texts)
  }

  /// Whether any of it names that.
  func shows(_ name: String) -> Bool { texts.values.contains { $0.contains(name) } }

  /// The addresses at which the other says something else.
  func differences(_ other: OwnerState) -> [String] {
    Set(texts.keys).union(other.texts.keys).sorted().filter { texts[$0] != other.texts[$0] }.map {
      "\($0): \(texts[$0] ?? "nothing") became \(other.texts[$0] ?? "nothing")"
    }
  }

  private static func steady(_ text: String) -> String {
    do {
      return steady(try JSONTape(Array(text.utf8)).json).text
    } catch {
      // A picture, or a calendar.
      return text
    }
  }

  private static func steady(_ json: JSON) -> JSON {
    switch json {
    case .object(let members):
      // A dictionary's members come in any order.
      .object(
        members.filter { !isChanging($0, of: members) }.sorted { $0.name < $1.name }
          .map { JSON.Member(name: $0.name, value: steady($0.value)) })
    case .array(let elements): .array(elements.map(steady))
    case .null, .bool, .number, .integer, .string: json
    }
  }

  private static func isChanging(_ member: JSON.Member, of members: [JSON.Member]) -> Bool {
    if changing.contains(member.name) { return true }
    return changingOfCode.contains(member.name) && members.contains { $0.name == "payload" }
  }
}
