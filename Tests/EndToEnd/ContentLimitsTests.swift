import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import ServiceKit
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Limits of what people may write", .serialized, .timeLimit(.minutes(2)))
struct ContentLimitsTests {
  @Test("Content limits are those of the requirements, and settings can raise them up to a bound, but not lower them")
  func settings() throws {
    let usual = ContentLimits(Settings([:]))
    #expect(usual.activityTitle == 20 && usual.activityReason == 30 && usual.entryComment == 20)
    let raised = Settings([
      "racha.limits.activityTitle": "40", "racha.limits.activityReason": "500", "racha.limits.entryComment": "140",
    ])
    let limits = ContentLimits(raised)
    try raised.check()
    #expect(limits.activityTitle == 40 && limits.activityReason == 500 && limits.entryComment == 140)
    let wrong = Settings([
      "racha.limits.activityTitle": "19", "racha.limits.activityReason": "501", "racha.limits.entryComment": "0",
    ])
    _ = ContentLimits(wrong)
    #expect(throws: Settings.Invalid.self) { try wrong.check() }
  }

  @Test(
    "A content limit in racha.json applies in activity and in the gateway's document, and registering logs in at once")
  func raised() async throws {
    let file = #"{"racha": {"limits": {"activityTitle": 40, "activityReason": 60, "entryComment": 50, "photoBytes": 140000}}}"#
    let cluster = try RunningCluster(files: ["racha.json": file])
    defer { cluster.stop() }
    try await cluster.start()
    let password = "Correr-2026!"
    let registered = try await cluster.client.call(
      RegisterAccount.self,
      .init(
        email: .init(text: "ana@example.org"), username: .init(text: "ana"), password: .init(text: password),
        passwordConfirmation: .init(text: password), beginsSession: true), idempotencyKey: "register")
    let token = try #require(registered.signedIn?.accessToken)
    func send(
      _ method: String, _ path: String, _ body: Data, _ mediaType: String
    ) async throws -> (status: Int?, json: JSON) {
      var request = URLRequest(url: try #require(URL(string: cluster.url + path)))
      request.httpMethod = method
      request.httpBody = body
      request.setValue(mediaType, forHTTPHeaderField: "Content-Type")
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      let (data, response) = try await URLSession.shared.data(for: request)
      return ((response as? HTTPURLResponse)?.statusCode, try JSONTape(Array(data)).json)
    }
    func send(_ method: String, _ path: String, _ body: String) async throws -> (status: Int?, json: JSON) {
      try await send(method, path, Data(body.utf8), "application/json")
    }
    func text(_ count: Int) -> String { String(repeating: "ñ", count: count) }
    func activity(_ title: Int, _ reason: Int) -> String {
      """
      {"title":"\(text(title))","reason":"\(text(reason))","category":"reading","goal":{"kind":"check"},
       "schedule":{"kind":"daily"}}
      """
    }
    let refused = try await send("POST", "/v1/activities", activity(41, 61))
    #expect(refused.status == 422)
    let problems = elements(refused.json["errors"])
    #expect(problems.map { $0["code"] } == ["too_long", "too_long"])
    #expect(problems.map { $0["field"] } == ["title", "reason"])
    let suggestions = problems.compactMap { string($0["suggestion"]) }
    #expect(suggestions.first?.contains("40") == true && suggestions.last?.contains("60") == true)
    let made = try await send("POST", "/v1/activities", activity(40, 60))
    #expect(made.status == 201 && made.json["title"] == .string(text(40)))
    let id = try #require(string(made.json["id"]))
    let edited = try await send("PATCH", "/v1/activities/\(id)", #"{"title":"\#(text(41))","reason":"\#(text(61))"}"#)
    #expect(edited.status == 422 && elements(edited.json["errors"]).count == 2)
    func add(_ comment: Int) async throws -> (status: Int?, json: JSON) {
      try await send(
        "POST", "/v1/activities/\(id)/entries", #"{"day":"today","isDone":true,"comment":"\#(text(comment))"}"#)
    }
    #expect(try await add(51).status == 422)
    let entry = try await add(50)
    #expect(entry.status == 201 && entry.json["comment"] == .string(text(50)))
    let again = try await add(50)
    #expect(again.status == 409 && again.json["code"] == "entry_exists")
    let found = try await send("GET", "/v1/history?text=\(String(repeating: "%C3%B1", count: 50))", "")
    #expect(found.status == 200 && elements(found.json["items"]).count == 1)
    // Of colours without any order, so that it takes as much again when it is encoded anew.
    let picture = Picture.noise(width: 200, height: 200)
    #expect(picture.count > 100_000)
    for path in ["/v1/activities/\(id)/entries/today/photo", "/v1/accounts/me/photo"] {
      let put = try await send("PUT", path, picture, "image/png")
      #expect(put.status == 200 && put.json["photoTag"] != nil, "\(path)")
      let tooLarge = try await send("PUT", path, Picture.noise(width: 220, height: 220), "image/png")
      #expect(tooLarge.status == 422 && elements(tooLarge.json["errors"]).first?["code"] == "picture_too_large", "\(path)")
      let size = try await cluster.client.get(path, headers: ["Authorization": "Bearer \(token)"])
      #expect(size.status == 200, "\(path)")
    }
    // It is larger than any message may be.
    let text = try await cluster.client.get("/openapi.json").text
    let document = try JSONTape(Array(text.utf8), limits: JSONLimits(bytes: 16 << 20)).json
    func longest(_ path: String, _ method: String, _ field: String) -> JSON? {
      let body = document["paths"]?[path]?[method]?["requestBody"]?["content"]?["application/json"]?["schema"]
      guard let name = string(body?["$ref"])?.split(separator: "/").last else { return body?["properties"]?[field]?["maxLength"] }
      return document["components"]?["schemas"]?[String(name)]?["properties"]?[field]?["maxLength"]
    }
    #expect(longest("/v1/activities", "post", "title") == 40 && longest("/v1/activities", "post", "reason") == 60)
    #expect(longest("/v1/activities/{activityID}/entries/{day}", "put", "comment") == 50)
  }

  private func elements(_ json: JSON?) -> [JSON] {
    guard case .array(let elements)? = json else { return [] }
    return elements
  }

  private func string(_ json: JSON?) -> String? {
    guard case .string(let text)? = json else { return nil }
    return text
  }
}
