import Operations
import Testing

@testable import GatewayService

@Suite("The router")
struct RouterTests {
  static let router: Router<String> = {
    var router = Router<String>()
    router.add("GET", "/v1/things", "list")
    router.add("POST", "/v1/things", "create")
    router.add("GET", "/v1/things/{thingID}", "get")
    router.add("DELETE", "/v1/things/{thingID}", "delete")
    router.add("POST", "/v1/things/{thingID}/parts/{partID}", "part")
    router.add("GET", "/v1/things/special", "special")
    router.add("GET", "/v1/things/special/{name}/more", "more")
    router.add("GET", "/v1/{any}/special/tail", "tail")
    router.add("GET", "/files/{path*}", "file")
    router.add("GET", "/files/{name}/info", "info")
    router.add("GET", "/files/index", "index")
    return router
  }()

  @Test(
    "The router finds the target and the parameters",
    arguments: [
      ("GET", "/v1/things", "list", [:]), ("POST", "/v1/things", "create", [:]), ("GET", "/v1/things/7", "get", ["thingID": "7"]),
      ("DELETE", "/v1/things/a%2Fb%20c", "delete", ["thingID": "a/b c"]), ("GET", "/v1/things/special", "special", [:]),
      ("POST", "/v1/things/1/parts/%C3%A9", "part", ["thingID": "1", "partID": "é"]),
      ("GET", "/v1/things/special/x/more", "more", ["name": "x"]), ("GET", "/v1/things/special/tail", "tail", ["any": "things"]),
      ("GET", "/files/a", "file", ["path": "a"]), ("GET", "/files/a/b/c.p/12", "file", ["path": "a/b/c.p/12"]),
      ("GET", "/files/a/info", "info", ["name": "a"]), ("GET", "/files/a/info/x", "file", ["path": "a/info/x"]),
      ("GET", "/files/index", "index", [:]), ("GET", "/files/index/x", "file", ["path": "index/x"]),
      ("GET", "/files/%C3%A9/..//", "file", ["path": "é/..//"]), ("GET", "/files/%2e%2e/x", "file", ["path": "../x"]),
    ] as [(String, String, String, [String: String])])
  func finds(method: String, path: String, target: String, parameters: [String: String]) {
    guard case .found(let found, let values) = Self.router.match(method, path[...]) else {
      Issue.record("\(method) \(path) leads nowhere")
      return
    }
    #expect(found == target)
    #expect(values == parameters)
  }

  @Test(
    "The router finds nothing for other paths",
    arguments: [
      "", "/", "/v1", "/v1/things/", "/v1/things//parts/1", "/v1/thing", "/v2/things", "/v1/things/1/parts",
      "/v1/things/1/parts/2/3",
      "/files", "/files/", "/files//", "/files//a", "/files/a%2Fb", "/files/a/%2f", "/files/%zz/a", "/files/a/%ff", "/files/%",
      "/v1/things/%zz", "/v1/things/%ff", "v1/things", "//v1/things",
    ])
  func findsNothing(path: String) {
    guard case .notFound = Self.router.match("GET", path[...]) else {
      // The path may exist for another method; it must not exist for this one.
      guard case .otherMethod = Self.router.match("GET", path[...]) else {
        Issue.record("\(path) leads somewhere")
        return
      }
      return
    }
  }

  @Test("The router names the methods of a path")
  func namesMethods() {
    guard case .otherMethod(let allowed) = Self.router.match("PUT", "/v1/things/7") else {
      Issue.record("PUT is answered")
      return
    }
    #expect(allowed == "GET, HEAD, DELETE")
  }
}

@Suite("A query")
struct QueryTests {
  @Test(
    "A query becomes fields",
    arguments: [
      ("", [:]), ("a=1", ["a": "1"]), ("a=1&b=x%26y+z", ["a": "1", "b": "x&y z"]), ("flag", ["flag": ""]), ("&&a=", ["a": ""]),
      ("a=b=c", ["a": "b=c"]),
    ] as [(String, [String: String])])
  func reads(query: String, fields: [String: String]) throws {
    var parameters: [String: String] = [:]
    try Query.parse(query[...], into: &parameters)
    #expect(parameters == fields)
  }

  @Test("An ambiguous, malformed or overlong query is refused", arguments: ["a=1&a=2", "a=%2", "%ff=1", "id=2"])
  func refuses(query: String) {
    var parameters = ["id": "1"]
    #expect(throws: Failure.self) { try Query.parse(query[...], into: &parameters) }
  }

  @Test("A query has a maximum length")
  func isBounded() {
    var parameters: [String: String] = [:]
    let query = (0...Query.maxParameters).map { "p\($0)=1" }.joined(separator: "&")
    #expect(throws: Failure.self) { try Query.parse(query[...], into: &parameters) }
  }
}
