import Foundation
import IdentityContract
import Messaging
import Operations
import ServiceKit
import SocialContract
import Synchronization
import Testing

@testable import GatewayService

@Suite("The public pages of a task and of a profile (TASK-6, UC8)", .timeLimit(.minutes(1)))
struct PublicPageTests {
  /// A later service that joins the page of a profile by declaring a part.
  private enum ReadBadges: ProfilePartOperation {
    typealias Input = ProfilePartInput
    typealias Output = ProfilePart

    static let spec = OperationSpec(
      "badges.getProfilePart", of: .rewards, nil, by: .services([.gateway]), effect: .read, requirements: ["TASK-6"], "Badges.")
  }

  private static let key = "AZrkAbCd_-123456"
  private static let account = AccountID()

  /// Identity, social and rewards as far as the pages need them.
  private static func with(
    task: PublicTask? = nil, profile: PublicProfile? = nil, tasks: ProfilePart? = nil, badges: ProfilePart? = nil,
    change: (inout GatewayConfiguration) -> Void = { _ in }, _ body: @escaping @Sendable (RunningGateway) async throws -> Void
  ) async throws {
    let bus = FakeBus()
    let signer = Signer()
    let published = signer.published
    bus.answer(.identity) { request in
      guard request.header.operation == OpenPublicProfile.spec.name else {
        return Reply(request, ListKeys.Output(keys: [published]))
      }
      #expect(request.header.caller == .service(.gateway))
      guard let profile, try GetPublicProfile.Input.decode(request.body).key == key else {
        throw Failure(RequestFailure.notFound)
      }
      return Reply(request, OpenPublicProfile.Output(accountID: account, profile: profile))
    }
    bus.answer(.social) { request in
      if request.header.operation == GetTaskProfilePart.spec.name {
        guard let tasks else { throw BusFailure.unavailable }
        let input = try ProfilePartInput.decode(request.body)
        #expect(input.accountID == account && request.header.caller == .service(.gateway))
        return Reply(request, tasks)
      }
      #expect(request.header.caller.kind == .anonymous)
      guard let task, try GetPublicTask.Input.decode(request.body).key == key else { throw Failure(RequestFailure.notFound) }
      return Reply(request, task)
    }
    if let badges { bus.answer(.rewards) { Reply($0, badges) } }
    let rewards = Contract(.rewards, operations: [ReadBadges.self], events: [], words: [])
    try await RunningGateway.with(
      contracts: [.identity, .social, rewards], bus: bus, signer: signer, change: change, body)
  }

  private static func task(
    description: String? = nil, others: Int = 1, username: String? = nil, nickname: String? = nil
  ) throws -> PublicTask {
    PublicTask(
      taskLinkID: ID(), name: try TaskName(text: "Paint <b>the boat</b>"),
      description: try description.map { try TaskDescription(text: $0) },
      completedAt: try Instant(text: "2026-11-21T23:30:00.000Z"), otherParticipantCount: others,
      username: try username.map { try Username(text: $0) }, nickname: nickname)
  }

  private static func profile(nickname: String? = nil, photo: String? = nil) throws -> PublicProfile {
    PublicProfile(
      username: try Username(text: "ana"), nickname: try nickname.map { try Nickname(text: $0) },
      createdAt: try Instant(text: "2026-01-02T10:00:00.000Z"), photoTag: photo)
  }

  /// What every page has that is for everybody: it needs no login, runs nothing, loads nothing from elsewhere, and is not to be indexed.
  private func expectPublicPage(_ page: RawConnection.Response, hasPhoto: Bool = false) throws {
    #expect(page.status == 200 && page.fields["content-type"] == "text/html; charset=utf-8")
    #expect(page.body.contains(#"<meta name="robots" content="noindex">"#) && page.fields["x-robots-tag"] == "noindex")
    #expect(page.fields["cache-control"] == "no-store" && page.fields["referrer-policy"] == "no-referrer")
    #expect(page.fields["x-content-type-options"] == "nosniff")
    let policy = try #require(page.fields["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && policy.contains("frame-ancestors 'none'"))
    #expect(policy.contains("form-action 'none'") && policy.contains("img-src 'self'") == hasPhoto && !policy.contains("script"))
    for loader in ["<script", "style=\"", "://", "@import", "url(", "<form", "onload"] { #expect(!page.body.contains(loader)) }
    #expect(page.fields["set-cookie"] == nil && page.body.contains("width=device-width"))
  }

  @Test("The page of a task shows its name, its day and how many others took part, as text, in both languages")
  func shown() async throws {
    let task = try Self.task(others: 3)
    try await Self.with(task: task) { gateway in
      let page = try await gateway.http("GET", "/task/\(Self.key)")
      try expectPublicPage(page)
      #expect(page.body.contains("Paint &lt;b&gt;the boat&lt;/b&gt;") && page.body.contains("Completed on 2026-11-21."))
      #expect(page.body.contains("The person who shares this and 3 others took part.") && !page.body.contains("blockquote dir"))
      let spanish = try await gateway.http("GET", "/task/\(Self.key)", ["Accept-Language": "es"])
      #expect(spanish.body.contains("Completada el 2026-11-21.") && spanish.fields["content-language"] == "es")
      #expect(spanish.body.contains("Participaron quien comparte este enlace y otras 3 personas."))
      #expect(try await gateway.http("POST", "/task/\(Self.key)").fields["allow"] == "GET, HEAD")
    }
  }

  @Test("The page of a task shows who shares it and what was to be done only if that was chosen")
  func chosen() async throws {
    let task = try Self.task(description: "Two coats.\n<i>Now</i>", username: "ana", nickname: "Anita <x>")
    try await Self.with(task: task) { gateway in
      let page = try await gateway.http("GET", "/task/\(Self.key)")
      try expectPublicPage(page)
      #expect(page.body.contains("Two coats.\n&lt;i&gt;Now&lt;/i&gt;</blockquote>"))
      #expect(page.body.contains("<bdi>Anita &lt;x&gt;</bdi> (ana) and one other person took part."))
      let spanish = try await gateway.http("GET", "/task/\(Self.key)", ["Accept-Language": "es"])
      #expect(spanish.body.contains("Participaron <bdi>Anita &lt;x&gt;</bdi> (ana) y otra persona."))
    }
  }

  @Test("All links that do not work get the same page, whatever is wrong with them")
  func nothing() async throws {
    try await Self.with { gateway in
      for page in ["task", "profile"] {
        var bodies: Set<String> = []
        for key in [Self.key, "x", String(repeating: "a", count: 300), "%3Cb%3E", "a%20b", "%C3%A9"] {
          let answer = try await gateway.http("GET", "/\(page)/\(key)")
          #expect(answer.status == 404 && answer.fields["x-robots-tag"] == "noindex")
          #expect(answer.fields["content-type"] == "text/html; charset=utf-8")
          bodies.insert(answer.body)
        }
        #expect(bodies.count == 1 && bodies.first?.contains("This link does not work, or does not work any more.") == true)
        let spanish = try await gateway.http("GET", "/\(page)/x", ["Accept-Language": "es"])
        #expect(spanish.body.contains("Este enlace no funciona o ha dejado de funcionar."))
      }
    }
  }

  @Test("The page of a profile shows name, photo and each service's part, also a later service's, and never the account's id")
  func profileParts() async throws {
    let profile = try Self.profile(nickname: "Anita <x>", photo: "tag")
    let tasks = ProfilePart(
      heading: "Completed tasks",
      items: [.init(text: "Sail <b>", detail: "2026-11-21", page: "/task/\(Self.key)"), .init(text: "Row")])
    let badges = ProfilePart(heading: "Badges", items: [.init(text: "Early bird")])
    try await Self.with(profile: profile, tasks: tasks, badges: badges) { gateway in
      let page = try await gateway.http("GET", "/profile/\(Self.key)")
      try expectPublicPage(page, hasPhoto: true)
      #expect(
        page.body.contains("<h1><bdi>Anita &lt;x&gt;</bdi></h1>")
          && page.body.contains("<bdi>ana</bdi><br>With Racha since 2026-01-02."))
      #expect(page.body.contains("<img src=\"../v1/public-profiles/\(Self.key)/photo\" alt=\"\">"))
      #expect(page.body.contains("<a href=\"../task/\(Self.key)\"><bdi>Sail &lt;b&gt;</bdi></a><span>2026-11-21</span>"))
      let (first, second) = (page.body.range(of: "Completed tasks"), page.body.range(of: "Badges"))
      #expect(try #require(first).lowerBound < #require(second).lowerBound)
      #expect(!page.body.contains(Self.account.description) && !page.body.contains("cannot be shown"))
    }
  }

  @Test("The page of a profile leaves out the part of a service that is down, with a note")
  func partAway() async throws {
    let profile = try Self.profile()
    let badges = ProfilePart(heading: "Badges", items: [])
    try await Self.with(profile: profile, badges: badges) { gateway in
      let page = try await gateway.http("GET", "/profile/\(Self.key)")
      try expectPublicPage(page, hasPhoto: true)
      #expect(page.body.contains("<h1><bdi>ana</bdi></h1>") && !page.body.contains("Badges") && !page.body.contains("<img"))
      #expect(page.body.contains("A part of this profile cannot be shown at the moment."))
      let spanish = try await gateway.http("GET", "/profile/\(Self.key)", ["Accept-Language": "es"])
      #expect(spanish.body.contains("Una parte de este perfil no se puede mostrar en este momento."))
    }
  }

  @Test("Clients that open public pages too often are rate-limited")
  func limited() async throws {
    let task = try Self.task()
    try await Self.with(
      task: task, change: { $0.rates.address[.read] = .init(2, per: 60) }
    ) { gateway in
      for _ in 0..<2 { #expect(try await gateway.http("GET", "/task/\(Self.key)").status == 200) }
      for path in ["task", "profile"] {
        let refused = try await gateway.http("GET", "/\(path)/\(Self.key)")
        #expect(refused.status == 429 && refused.fields["retry-after"] != nil)
        #expect(refused.fields["content-type"] == "text/html; charset=utf-8")
      }
    }
  }
}
