import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Synchronization
import Testing

@testable import IdentityService

@Suite("The contract of identity")
struct ContractTests {
  @Test("Every rule of a field in identity has words, and a suggestion for each field of the form")
  func words() throws {
    let words = Words(Contract.identity.words)
    let rules = try fieldRules()
    #expect(rules.count > 15)
    for code in rules { #expect(words.keys(.english).contains("field.\(code)"), "field.\(code)") }
    let shared = Words([])
    // Mistakes of programs, not of people who fill in a form.
    let ofPrograms: Set = ["account_id_or_username", "code_or_error", "invalid_provider_name"]
    for code in rules where !shared.keys(.english).contains("field.\(code)") && !ofPrograms.contains(code) {
      #expect(words.keys(.english).contains("field.\(code).suggestion"), "field.\(code).suggestion")
    }
  }

  @Test("Identity has no unused words")
  func leftOver() throws {
    let own = Words(Contract.identity.words).keys(.english).subtracting(Words([]).keys(.english))
    let failures = Contract.identity.operations.flatMap { $0.spec.failures.map { "failure.\($0.code)" } }
    let sessions = ["device.program_on_system", "device.unknown"] + SessionPlace.Kind.allCases.map { "place.\($0)" }
    let security =
      IncidentPattern.allCases.flatMap { ["incident.\($0).title", "incident.\($0).recommendation"] }
      + ["incident.administratorDismissed.ownRecommendation"]
      + SecuritySeverity.allCases.map { "severity.\($0)" } + ReportPeriod.allCases.map { "report.\($0)" }
      + ["severity", "count", "account", "address", "provider", "incident", "since"].map { "incident.line.\($0)" }
      + ["incidents", "incident", "incident.account", "incident.address", "incident.provider", "count"].map {
        "report.line.\($0)"
      }
      + SecurityEvent.Kind.allCases.map { "securityEvent.\($0)" }
    let consents = ConsentPurpose.allCases.flatMap { ["consent.\($0)", "reason.consent_\($0)"] }
    // What `photos.put` says instead of the words for all.
    let photos = ["failure.unsupported_media_type.photos"]
    let used = Set(failures + (try fieldRules()).map { "field.\($0)" } + sessions + security + consents + photos)
    for key in sessions + security + consents { #expect(own.contains(key), "\(key)") }
    for key in own { #expect(used.contains(key.replacing(".suggestion", with: "")), "\(key)") }
  }

  @Test("A new subscriber of identity receives every account, and the sessions whose tokens may still look valid")
  func snapshot() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea", "carla"] { try await identity.register(name) }
      _ = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken()))
      let (old, lately) = (try await identity.logIn("ana"), try await identity.logIn("ana"))
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(old))
      identity.time.advance(seconds: 1000)
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(lately))

      var published: [LoggedEvent] = []
      var key: String?
      repeat {
        let page = try await identity.store.log.snapshot(after: key)
        published += page.events
        key = page.nextKey
      } while key != nil
      let accounts = try published.filter { $0.name == "accounts.changed" }.map { try AccountChanged.decode($0.body) }
      #expect(accounts.map { "\($0.username) \($0.isVerified)" } == ["ana false", "bea false", "carla true"])
      let revoked = try published.filter { $0.name == "sessions.revoked" }.map { try SessionRevoked.decode($0.body) }
      #expect(revoked.map(\.sessionID) == [lately.session.id])
    }
  }

  @Test("A subscriber of identity that names the events it needs receives only those, and no other state is read for it")
  func partsOfSnapshot() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea"] { try await identity.register(name) }
      let closed = try await identity.logIn("ana")
      _ = try await identity.logIn("bea")
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(closed))
      func published(_ names: Set<String>) async throws -> (names: [String], pages: Int) {
        var (published, pages, key) = ([String](), 0, String?.none)
        repeat {
          let page = try await identity.store.log.snapshot(of: names, after: key)
          published += page.events.map(\.name)
          pages += 1
          key = page.nextKey
        } while key != nil
        return (published, pages)
      }
      let revocations: Set = [
        SessionRevoked.spec.name, AccessTokensInvalidated.spec.name, PersonalAccessTokenRevoked.spec.name,
      ]
      #expect(try await published(revocations) == (["sessions.revoked"], 3))
      #expect(try await published([AccountChanged.spec.name]) == (["accounts.changed", "accounts.changed"], 1))
      #expect(try await published(["nothing.published"]) == ([], 1))
      // What the store reads, however many accounts there are: of a part that nobody wants, nothing.
      let parts = SnapshotParts(try await identity.features().flatMap(\.snapshot))
      let statements = try await identity.store.read { database -> [String] in
        let read = Mutex<[String]>([])
        database.trace(options: .statement) { event in read.withLock { $0.append("\(event)") } }
        defer { database.trace() }
        var key: String?
        repeat { key = try parts.page(database, of: revocations, after: key).nextKey } while key != nil
        return read.withLock { $0 }
      }
      #expect(statements.count == 3 && !statements.contains { $0.contains("FROM accounts") })
    }
  }

  /// Codes of rules that the sources name.
  private func fieldRules() throws -> Set<String> {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Services/Identity")
    let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    var codes: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /FieldRule\("([a-z_]+)"|"(password_[a-z_]+)"/) {
        codes.insert(String(match.1 ?? match.2 ?? ""))
      }
    }
    return codes.subtracting(["password_hash", "password_recoveries"])
  }
}
