import ActivityContract
import Foundation
import GatewayContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Testing

@testable import GatewayService

@Suite("The OpenAPI document and its page")
struct OpenAPITests {
  static let contracts: [Contract] = [.identity, .activity, .social, .rewards, .notifications]

  static func document(_ contracts: [Contract]) -> JSON {
    OpenAPI.document(Catalog(contracts), problems: ProblemWriter(contracts + [.gateway]), version: "1.0.0")
  }

  /// A Python with the packages of Tests/requirements.txt; nil where there is none, and then the test says so.
  static let python: String? = {
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? ".venv/bin/python"
    return FileManager.default.isExecutableFile(atPath: named) ? named : nil
  }()

  @Test("The OpenAPI document is valid OpenAPI 3.1", .enabled(if: python != nil, "needs RACHA_TEST_PYTHON"))
  func isValid() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "racha-openapi-\(ProcessInfo.processInfo.processIdentifier).json")
    try Data(Self.document(Self.contracts + [.trial]).bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.python ?? "")
    process.arguments = ["-m", "openapi_spec_validator", "--errors", "all", file.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(output)")
  }

  @Test("An operation is described with its fields, answers, codes, caller and requirement")
  func describes() throws {
    let document = Self.document([.trial])
    if ProcessInfo.processInfo.environment["RACHA_WRITE_GOLDEN"] != nil { try Self.writeGolden(document) }
    let paths = try #require(document["paths"])
    let expected = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.golden)) as? NSDictionary
    let actual = try JSONSerialization.jsonObject(with: Data(paths.bytes)) as? NSDictionary
    #expect(actual == expected, "RACHA_WRITE_GOLDEN=1 writes the present form")
    #expect(paths["/v1/internal"] == nil)
  }

  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "things.openapi.json")

  /// Writes what is to be compared by eye with the former, and committed.
  private static func writeGolden(_ document: JSON) throws {
    let file = try JSONSerialization.jsonObject(with: Data((document["paths"] ?? .null).bytes))
    let pretty = try JSONSerialization.data(
      withJSONObject: file, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    try (pretty + [0x0A]).write(to: golden)
  }

  @Test("Every page that people reach by a link or a browser is described beside the operations")
  func pages() throws {
    let paths = try #require(Self.document(Self.contracts)["paths"])
    let expected = [
      "/verify": ["get", "post"], "/change-email": ["get", "post"], "/undo-email-change": ["get", "post"],
      "/recover": ["get", "post"],
      "/login-alert": ["get", "post"], "/suspension": ["get", "post"], "/mailbox": ["get"], "/mailbox/{name}": ["get"],
      "/v1/external-logins/callback": ["post"],
      "/v1/live": ["get"], "/livez": ["get"], "/readyz": ["get"], "/metrics": ["get"], "/docs": ["get"], "/openapi.json": ["get"],
    ]
    let router = Catalog(Self.contracts).router
    for (path, methods) in expected {
      for method in ["get", "post", "put", "patch", "delete"] {
        let isDescribed = paths[path]?[method] != nil
        #expect(isDescribed == methods.contains(method), "\(method) \(path)")
        if case .found = router.match(method.uppercased(), path[...]) {
          #expect(isDescribed, "\(method) \(path)")
        } else {
          #expect(!isDescribed, "\(method) \(path)")
        }
      }
    }
  }

  @Test("The refusal of a media type is declared exactly for operations that read a body")
  func mediaTypes() throws {
    let contracts = Self.contracts + [.trial]
    let paths = try #require(Self.document(contracts)["paths"])
    for spec in contracts.flatMap(\.operations).map({ $0.spec }) where Catalog.isForClients(spec) {
      let route = try #require(spec.route)
      let codes = paths[route.path]?[route.method.rawValue.lowercased()]?["responses"]?["415"]?["x-codes"]
      let isRead = [.post, .put, .patch].contains(route.method)
      let expected: JSON? = isRead ? ["unsupported_media_type", "unsupported_content_coding"] : nil
      #expect(codes == expected, "\(spec.name)")
    }
  }

  @Test("Only schemas that something refers to are listed")
  func prunes() {
    guard case .object(let schemas) = Self.document([.trial])["components"]?["schemas"] else {
      Issue.record("no schemas")
      return
    }
    #expect(
      schemas.map(\.name).sorted() == [
        "EchoInput", "Empty", "MakeThingInput", "MediaFile", "Problem", "ProblemField", "ProblemRemedy", "Thing", "ThingPage",
      ])
  }

  @Test("The documentation page lists every operation, loads nothing and escapes what it shows")
  func page() {
    let page = DocsPage(Self.document(Self.contracts), codes: [(code: "x", status: 400, english: "<b>", spanish: "ñ")])
    let html = String(decoding: page.html, as: UTF8.self)
    #expect(html.contains("<code>/verify</code>"))
    for endpoint in Catalog(Self.contracts).endpoints { #expect(html.contains("id=\"operation-\(endpoint.spec.name)\"")) }
    #expect(html.contains("&lt;b&gt;"))
    // An address in an example is text; nothing leads or loads from elsewhere.
    for mark in ["href=\"http", "href=\"//", "src=", "srcset=", "url(", "@import", "<link", "style=\""] {
      #expect(!html.contains(mark), "\(mark)")
    }
    #expect(page.policy.hasPrefix("default-src 'none';"))
  }

  @Test("Every failure has its section on the documentation page, to which a problem's type links")
  func anchors() {
    let contracts = Self.contracts + [.gateway]
    let catalog = Catalog(Self.contracts)
    let problems = ProblemWriter(contracts)
    let html = String(
      decoding: DocsPage(Self.document(Self.contracts), codes: Documentation.codes(catalog, problems)).html, as: UTF8.self)
    let onPage = Set(html.matches(of: /id="problem-([a-z0-9_]+)"/).map { String($0.1) })
    let published = Words(contracts.flatMap(\.words)).keys(.english).filter {
      // A code, not its suggestion or an operation's own words for it.
      $0.hasPrefix("failure.") && $0.split(separator: ".").count == 2
    }
    let internalCodes = Set(
      contracts.flatMap(\.operations).map { $0.spec }.filter { !Catalog.isForClients($0) }
        .flatMap(\.failures).map(\.code) + [HoldStore.spec, BackUpStore.spec, ReleaseStore.spec].flatMap(\.failures).map(\.code)
    ).subtracting(RequestFailure.allCases.map(\.rawValue)).subtracting(catalog.endpoints.flatMap(\.spec.failures).map(\.code))
    #expect(Set(published.map { String($0.dropFirst("failure.".count)) }).subtracting(internalCodes) == onPage)
    let sample = problems.problem(Failure(RequestFailure.invalidJSON), .english, request: "r").type
    #expect(html.contains("id=\"\(sample.dropFirst("/docs#".count))\""))
    #expect(html.contains("The body is larger than {limit} bytes."))
  }

  @Test("Every code that a client may meet has words in both languages")
  func words() {
    let writer = Words(([.gateway] + Self.contracts).flatMap(\.words))
    var kinds = Set(RequestFailure.allCases.map(\.kind) + GatewayFailure.allCases.map(\.kind))
    for endpoint in Catalog(Self.contracts).endpoints { kinds.formUnion(endpoint.spec.failures) }
    for language in Language.allCases {
      for kind in kinds {
        #expect(writer.text("failure.\(kind.code)", language) != nil, "\(kind.code) in \(language)")
        #expect(writer.text("status.\(kind.status)", language) != nil, "\(kind.status) in \(language)")
      }
    }
  }
}
