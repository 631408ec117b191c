import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import Testing

/// Schemathesis (https://schemathesis.io) makes up calls of everything that `/openapi.json` promises, right ones and wrong ones, and holds
/// each answer against its schema.
///
/// `deploy/racha faults api` does so for longer (`RACHA_API_SECONDS`), with another seed (`RACHA_API_SEED`).
@Suite(
  "The promises of the OpenAPI document", .serialized,
  .enabled(if: TestPython.path != nil, "needs a Python with schemathesis: set RACHA_TEST_PYTHON"), .timeLimit(.minutes(240)))
struct APITests {
  /// Status codes that are declared, bodies and fields of their schemas, no error of the server's; what the schema forbids is refused, and so
  /// is who has no token.
  private static let checks = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "negative_data_rejection", "missing_required_header", "unsupported_method",
    "allow_header_conformance", "ignored_auth",
  ]

  /// What does not belong here: the log out would end the session of all that follow, and a live stream does not end.
  private static let excluded = ["/v1/sessions/current", "/v1/live"]

  @Test("The promises of the OpenAPI document hold for generated calls")
  func conformance() async throws {
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["RACHA_API_SECONDS"].flatMap { Int($0) }
    let seed = environment["RACHA_API_SEED"] ?? "1"
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    try cluster.administer("administrator", ana.account.username.description)
    let session = try await cluster.client.call(LogIn.self, .init(login: "ana", password: "Rio-7-lento"))
    let processes = ServiceName.allCases.map { cluster.processID($0) }
    // It is made when it is first asked for; Schemathesis waits for it for 10 s, which a busy machine may need.
    #expect(try await !cluster.client.get("/openapi.json").text.isEmpty)

    let length =
      seconds.map { ["--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "1000", "--max-time", "\($0)"] }
      ?? ["--phases", "fuzzing", "--max-examples", "2"]
    let run = try await TestPython.run(
      [
        "-m", "schemathesis.cli", "--no-color", "run", "\(cluster.url)/openapi.json", "--seed", seed, "--checks",
        APITests.checks.joined(separator: ","), "--workers", "4", "--no-shrink", "--continue-on-failure", "--generation-database",
        "none",
      ] + APITests.excluded.flatMap { ["--exclude-path", $0] } + length,
      environment: [
        "PYTHONPATH": URL(fileURLWithPath: #filePath).deletingLastPathComponent().path, "SCHEMATHESIS_HOOKS": "session",
        "RACHA_API_URL": cluster.url, "RACHA_API_REFRESH_TOKEN": session.refreshToken,
      ], in: cluster.home)
    #expect(run.status == 0, "\(run.said.suffix(20_000))")
    // It did call, and nearly everything.
    let tested = run.said.firstMatch(of: /Tested: ([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
    let cases = run.said.firstMatch(of: /([0-9]+) generated/).flatMap { Int($0.output.1) } ?? 0
    print("\(cases) calls of \(tested) operations with seed \(seed)")
    #expect(tested > 150 && cases > 2 * tested, "\(run.said.suffix(2000))")

    // None of it was more than the six could bear.
    #expect(ServiceName.allCases.map { cluster.processID($0) } == processes)
    for service in ServiceName.allCases { #expect(!cluster.log(service).contains(#""handler failed""#), "\(service)") }
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }
}
