import AsyncHTTPClient
import Foundation
import IdentityContract
import InProcess
import NIOCore
import NIOHTTP1
import Operations
import Synchronization
import Testing

@testable import IdentityService

#if canImport(Glibc)
  import Glibc
#endif

/// The tests with real providers: one at a time, so that none waits for another's start.
@Suite("External providers", .serialized)
enum ExternalProviderProcesses {}

/// A program that says on its output where it listens.
private final class ListeningProgram: Sendable {
  private let (input, output) = (Pipe(), Pipe())
  private let process: Mutex<Process>

  init(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    self.process = Mutex(process)
  }

  func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

  /// Waits for the next address that it says, on a line of its own.
  func address() throws -> String {
    var said = ""
    while true {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw TestProvider.NotStarted() }
      said += String(decoding: data, as: UTF8.self)
      if let found = said.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+(?=[^0-9])/) { return String(found.output) }
    }
  }

  func end() {
    process.withLock { process in
      // A child begins with the signals blocked of the thread that started it: it would not receive a gentler one.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }
}

/// An OpenID Connect provider (`provider.py`, with Authlib) for as long as a test needs it.
final class TestProvider: Sendable {
  static let redirectURI = "https://app.example.org/done"

  /// The interpreter that has the packages of `Tests/requirements.txt`, if there is one.
  static let python: String? = {
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? ".venv/bin/python"
    return FileManager.default.isExecutableFile(atPath: named) ? named : nil
  }()

  struct NotStarted: Error {}

  /// The one process in which all of them run, because starting one takes longer than most tests; it ends with its input, when this process
  /// does.
  private static let script = Mutex<ListeningProgram?>(nil)

  let issuer: String

  private init(issuer: String) { self.issuer = issuer }

  /// Runs a provider while the body does.
  static func run(_ body: (TestProvider) async throws -> Void) async throws {
    let (program, issuer) = try script.withLock { script in
      let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("provider.py").path
      let program = try script ?? ListeningProgram(python ?? "python3", [path])
      // Kept only if it answers: another test starts another one.
      script = nil
      try program.send("start")
      let issuer = try program.address()
      script = program
      return (program, issuer)
    }
    defer { #expect(throws: Never.self) { try program.send("end \(issuer)") } }
    try await body(TestProvider(issuer: issuer))
  }

  /// `oidc-provider-mock`, written by others: named by the environment, or beside the interpreter.
  static let mock: String? = {
    let beside = python.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/oidc-provider-mock" }
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_OIDC_PROVIDER"] ?? beside
    return named.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
  }()

  /// Runs `oidc-provider-mock` while the body does.
  static func runMock(_ claims: String, _ body: (TestProvider) async throws -> Void) async throws {
    let program = try ListeningProgram(mock ?? "oidc-provider-mock", ["--port", "0", "--user-claims", claims])
    defer { program.end() }
    try await body(TestProvider(issuer: try program.address()))
  }

  /// Settings of a system that knows it as `corp`.
  var settings: [String: String] {
    [
      "racha.externalProviders.names": "corp", "racha.externalProviders.redirectUris": Self.redirectURI,
      "racha.externalProviders.corp.issuer": issuer, "racha.externalProviders.corp.clientId": "racha-tests",
      "racha.externalProviders.corp.clientSecret": "client secret / + &", "racha.externalProviders.corp.title": "Corp",
    ]
  }

  /// Runs it together with an identity service that knows it.
  static func withIdentity(
    settings: [String: String] = [:], _ body: (TestProvider, RunningIdentity) async throws -> Void
  ) async throws {
    try await run { provider in
      // The provider's clock is the machine's.
      let time = MovableClock(Clock.system.now)
      try await RunningIdentity.run(time: time, settings: provider.settings.merging(settings) { _, new in new }) { identity in
        try await body(provider, identity)
      }
    }
  }

  /// Sets how it behaves from now on; nothing of what was set before remains.
  func behave(_ json: String = "{}") async throws { _ = try await post("/control", json) }

  /// Adds a signing key of that id.
  func rotate(to keyID: String) async throws { _ = try await post("/rotate", #"{"kid":"\#(keyID)"}"#) }

  /// How often a path was asked for.
  func count(_ path: String) async throws -> Int {
    let (_, body) = try await send(HTTPClientRequest(url: issuer + "/counts"))
    return try JSONDecoder().decode([String: Int].self, from: Data(body))[path] ?? 0
  }

  /// Returns once a path was asked for, or a time has passed in which it should have been.
  func isAsked(for path: String) async throws { _ = try await send(HTTPClientRequest(url: issuer + "/counts?of=\(path)")) }

  /// The tokens of a login that it has given.
  struct Grant: Decodable, Hashable {
    let refresh_token: String?
    let access_token: String
  }

  /// What it was asked to forget.
  struct Revocation: Decodable, Hashable {
    let token: String?
    let hint: String?
    /// Where the client's secret was.
    let proof: String
  }

  func grants() async throws -> [Grant] {
    try JSONDecoder().decode([Grant].self, from: Data(try await send(HTTPClientRequest(url: issuer + "/grants")).body))
  }

  /// What it was asked to forget by a client that had proved itself, once it is so much, or a time has passed in which it should be.
  func revocations(atLeast count: Int = 0) async throws -> [Revocation] {
    let (_, body) = try await send(HTTPClientRequest(url: issuer + "/revocations?count=\(count)"))
    return try JSONDecoder().decode([Revocation].self, from: Data(body))
  }

  private func post(_ path: String, _ json: String) async throws -> [UInt8] {
    var request = HTTPClientRequest(url: issuer + path)
    request.method = .POST
    request.body = .bytes(ByteBuffer(string: json))
    return try await send(request).body
  }

  private func send(_ request: HTTPClientRequest) async throws -> (location: String?, body: [UInt8]) {
    let configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
      let response = try await client.execute(request, timeout: .seconds(60))
      let body = try await response.body.collect(upTo: 1 << 20)
      return (response.headers.first(name: "Location"), Array(body.readableBytesView))
    }
  }

  /// What the browser of a person of that name does at `oidc-provider-mock`: sends the form of its page.
  func visitMock(_ url: String, as subject: String) async throws -> [String: String] {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    request.body = .bytes(ByteBuffer(string: "sub=\(subject)"))
    return try fields(try await send(request))
  }

  /// What a person's browser does: goes to the address and is sent back with these fields.
  func visit(_ url: String) async throws -> [String: String] {
    try fields(try await send(HTTPClientRequest(url: url)))
  }

  private func fields(_ answer: (location: String?, body: [UInt8])) throws -> [String: String] {
    let target = try #require(answer.location, "\(String(decoding: answer.body, as: UTF8.self))")
    #expect(target.hasPrefix(Self.redirectURI + "?"))
    let items = try #require(URLComponents(string: target)?.queryItems)
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }
}

/// A flow that has come back from the provider, as its client holds it.
struct Answered: Sendable {
  var state: String
  var flowSecret: String
  var code: String?
  var iss: String?
  var error: String?

  var logIn: CompleteExternalLogin.Input {
    .init(state: state, flowSecret: flowSecret, code: code, iss: iss, error: error)
  }

  var link: CompleteIdentityLink.Input { .init(state: state, flowSecret: flowSecret, code: code, iss: iss, error: error) }
}

extension RunningIdentity {
  private static let corp = BeginExternalLogin.Input(
    provider: try! ExternalProviderName(text: "corp"), redirectURI: TestProvider.redirectURI)

  /// Begins to log in.
  func beginLogin() async throws -> ExternalLoginStart { try await ask(BeginExternalLogin.self, Self.corp) }

  /// Begins and lets a browser go to the provider and back.
  func answered(_ provider: TestProvider, linkingBy session: SignedIn? = nil) async throws -> Answered {
    let start =
      if let session {
        try await ask(BeginIdentityLink.self, Self.corp, by: .signedIn(session))
      } else {
        try await beginLogin()
      }
    let back = try await provider.visit(start.authorizationURL)
    #expect(back["state"] == start.state)
    return Answered(
      state: start.state, flowSecret: start.flowSecret, code: back["code"], iss: back["iss"], error: back["error"])
  }

  /// Logs in by the provider.
  func logIn(by provider: TestProvider) async throws -> CompleteExternalLogin.Output {
    try await ask(CompleteExternalLogin.self, try await answered(provider).logIn)
  }

  /// Links the person at the provider to the account.
  func link(_ session: SignedIn, to provider: TestProvider) async throws -> ExternalIdentity {
    try await ask(CompleteIdentityLink.self, try await answered(provider, linkingBy: session).link, by: .signedIn(session))
  }
}
