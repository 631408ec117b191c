import ActivityContract
import ArgumentParser
import Dispatch
import Foundation
import IdentityContract
import Logging
import Messaging
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage

/// The launcher's hand inside a cluster.
public enum Administration {
  /// The body of the executable.
  public static func main() -> Never {
    Task {
      await Admin.main()
      exit(0)
    }
    dispatchMain()
  }
}

/// Copies running stores at one moment, readies restored ones, makes the keys of a bus over TCP.
struct Admin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "racha-admin", abstract: "Tools for operators of a cluster.",
    subcommands: [BackUp.self, RestoreEpochs.self, Keys.self, Administrator.self, Register.self, Ledger.self])

  /// The services that have a store.
  static let services: [ServiceName] = [.notifications, .rewards, .social, .activity, .identity]

  /// Speaks with the services of the cluster that the process's settings name, as the gateway does.
  static func speaking(_ body: (ServiceClient) async throws -> Void) async throws {
    do {
      let settings = try await Settings.ofProcess()
      let home = Home(settings)
      let logger = Logger(label: "racha-admin") { _ in JSONLogHandler(service: .gateway, level: .warning) }
      let bus = ZeroMQBus(.gateway, endpoints: try BusSettings.endpoints(settings, home, for: .gateway), logger: logger)
      try settings.check()
      try bus.start()
      try await body(ServiceClient(bus: bus, service: .gateway, clock: .system))
      await bus.stop(within: .seconds(1))
    } catch {
      throw Refusal(words(error))
    }
  }

  /// An error as a sentence for people.
  static func words(_ error: any Error) -> String {
    switch error {
    case let refusal as Refusal: refusal.description
    case let failure as Failure where failure.code == RequestFailure.unavailable.rawValue:
      "the cluster does not answer; does it run, all of it?"
    case let failure as Failure: failureWords.text("failure.\(failure.code)", .english, failure.parameters) ?? failure.code
    case let invalid as Settings.Invalid: "these settings cannot be used: \(invalid)"
    // Of the file system, whose own words are for people only here.
    case let error as CocoaError: error.localizedDescription
    default: "\(error)"
    }
  }

  private static let failureWords = Words(
    [Contract.identity, .activity, .social, .rewards, .notifications].flatMap(\.words))
}

/// Copies the stores of the running services into one file each, all of one moment.
///
/// First all hold their writes, then each lets them go on and copies what it held. Whatever took effect in a copy was committed before
/// its service held, and what it is an effect of still earlier; and who published that commits nothing from its own hold until all hold.
/// So no copy holds an effect of something that its publisher's copy lacks.
struct BackUp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the stores of the running services, as of one moment.")

  @Argument(help: "The folder for the copies, created if it is missing.") var folder: String

  func run() async throws {
    try await Admin.speaking { client in
      do {
        try Home.makePrivateFolder(folder)
      } catch {
        throw Refusal("the folder \(folder) cannot be made: \(Admin.words(error))")
      }
      let path = URL(fileURLWithPath: folder).standardizedFileURL.path
      // None waits, with its writes held, for a service that is away or for a connection.
      try await askAll { service in
        try await client.request(ReadHealth.self, .init(), to: service, deadline: Clock.system.now.adding(seconds: 5))
      }.check()
      let held = await askAll { service in
        try await client.request(HoldStore.self, .init(), to: service, deadline: Clock.system.now.adding(seconds: 5)).hold
      }
      guard held.refusals.isEmpty else {
        // A hold that cannot be released, either, ends by itself.
        _ = await askAll { service in
          guard let hold = held.answers[service] else { return }
          _ = try await client.request(
            ReleaseStore.self, .init(hold: hold), to: service, deadline: Clock.system.now.adding(seconds: 5))
        }
        return try held.check()
      }
      let copies = await askAll { service in
        guard let hold = held.answers[service] else { throw Failure(RequestFailure.unavailable) }
        // Longer than the service takes before it gives the copy up.
        return try await client.request(
          BackUpStore.self, .init(hold: hold, path: "\(path)/\(service.rawValue).sqlite"), to: service,
          deadline: Clock.system.now.adding(seconds: 2 * 3600))
      }
      try copies.check()
      for service in Admin.services {
        guard let copy = copies.answers[service] else { continue }
        print("\(service.rawValue)\t\(copy.bytes) bytes, writes held for \(copy.heldMilliseconds) ms")
      }
    }
  }

  /// What those who were asked at once said, and why some did not.
  private struct Answers<Answer: Sendable>: Sendable {
    var answers: [ServiceName: Answer] = [:]
    var refusals: [String] = []

    /// Throws if one refused.
    func check() throws {
      guard refusals.isEmpty else { throw Refusal(refusals.sorted().joined(separator: "\n")) }
    }
  }

  /// Asks all services that have a store at once, and waits for all of them.
  private func askAll<Answer: Sendable>(
    _ ask: @escaping @Sendable (ServiceName) async throws -> Answer
  ) async -> Answers<Answer> {
    await withTaskGroup(of: (ServiceName, Result<Answer, any Error>).self) { group in
      for service in Admin.services {
        group.addTask {
          do {
            return (service, .success(try await ask(service)))
          } catch {
            return (service, .failure(error))
          }
        }
      }
      return await group.reduce(into: Answers()) { all, said in
        switch said.1 {
        case .success(let answer): all.answers[said.0] = answer
        case .failure(let error):
          all.refusals.append("\(said.0.rawValue) could not be copied: \(Admin.words(error))")
        }
      }
    }
  }
}

/// Makes an account an administrator, or lets it be one no longer.
struct Administrator: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "administrator", abstract: "Make an account of the running cluster an administrator, or dismiss one.")

  @Flag(help: "Dismiss the administrator.") var dismiss = false

  @Argument(help: "Its username.") var username: String

  func run() async throws {
    try await Admin.speaking { client in
      do {
        let name = try Username(text: username)
        let deadline = Clock.system.now.adding(seconds: 10)
        if dismiss {
          let account = try await client.request(DismissAdministrator.self, .init(username: name), deadline: deadline)
          print("\(account.username) is no longer an administrator.")
        } else {
          let account = try await client.request(AppointAdministrator.self, .init(username: name), deadline: deadline)
          print("\(account.username) is an administrator from its next login or refresh on.")
        }
      } catch let failure as Failure where failure.code == RequestFailure.notFound.rawValue {
        throw Refusal("there is no account \(username)")
      } catch let failure as Failure where failure.code == RequestFailure.verificationRequired.rawValue {
        throw Refusal("\(username) has not verified the e-mail address yet")
      } catch let failure as Failure where failure.code == AdministratorFailure.last.rawValue {
        throw Refusal("\(username) is the only administrator left; make another account one first")
      } catch is FieldRule {
        throw Refusal("\(username) is no username; give that, not the e-mail address")
      }
    }
  }
}

/// Why something was not done although the command line was right: printed alone, with status 1.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Lets a new epoch begin with the next start of each store of the home folder: after a restore old event numbers must not be taken for new
/// ones.
struct RestoreEpochs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore-epochs", abstract: "Begin new event epochs in the stores just restored; the cluster is stopped.")

  func run() throws {
    let home = ProcessInfo.processInfo.environment["RACHA_HOME"] ?? Home.defaultPath
    for service in Admin.services {
      let path = "\(Home(path: home).stores)/\(service.rawValue).sqlite"
      guard FileManager.default.fileExists(atPath: path) else { continue }
      do {
        try Store.beginNewEpoch(path: path)
      } catch {
        throw Refusal("the store \(path) cannot be taken over: \(Admin.words(error))")
      }
    }
  }
}

/// Makes the CURVE key pairs of the six processes and the list of what each may call.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "keys", abstract: "Create the keys of a bus over TCP.")

  @Argument(help: "The folder for the keys, created if it is missing; existing keys are kept.") var folder: String

  func run() throws {
    do {
      try make()
    } catch {
      throw Refusal("the keys could not be made: \(Admin.words(error))")
    }
  }

  private func make() throws {
    try Home.makePrivateFolder(folder)
    var entries: [AllowList.Entry] = []
    for service in ServiceName.allCases {
      let file = "\(folder)/\(service.rawValue).key"
      let keys: CurveKeyPair
      if let found = FileManager.default.contents(atPath: file) {
        do {
          keys = try CurveKeyPair(
            secretKey: String(decoding: found, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        } catch {
          throw Refusal("\(file) holds no secret key of the bus")
        }
      } else {
        keys = try CurveKeyPair.generate()
        guard
          FileManager.default.createFile(
            atPath: file, contents: Data((keys.secretKey + "\n").utf8), attributes: [.posixPermissions: 0o600])
        else { throw HomeFailure.cannotWrite(file: file) }
      }
      entries.append(AllowList.Entry(key: keys.publicKey, service: service, operations: Keys.granted(service)))
    }
    let list = "\(folder)/allow-list.json"
    guard
      FileManager.default.createFile(
        atPath: list, contents: Data(AllowList(entries: entries).json), attributes: [.posixPermissions: 0o644])
    else { throw HomeFailure.cannotWrite(file: list) }
    print("Keys and allow-list are in \(folder). Keep the .key files secret; each process needs its own and the list.")
  }

  /// What a service may call: the gateway everything, another what the contracts open to it, and everyone the events of others.
  static func granted(_ service: ServiceName) -> [String] {
    guard service != .gateway else { return ["*"] }
    let contracts: [Contract] = [.identity, .activity, .social, .rewards, .notifications]
    // What every service answers that keeps accounts belongs to no contract.
    let opened = (contracts.flatMap(\.operations).map { $0.spec } + [SyncAccount.spec]).filter { spec in
      guard case .services(let callers) = spec.caller else { return false }
      return callers.contains(service)
    }
    return opened.map(\.name).sorted() + EventExchange.allCases.map(\.rawValue) + [ReadHealth.spec.name]
  }
}
