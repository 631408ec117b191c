import GatewayContract
import Operations
import SocialContract

/// `/task/{key}` (TASK-6, UC8): a completed task, for anyone with a participant's public link to it. The page needs no login and no script.
/// It shows what the participant has chosen, and only the number of the other participants.
struct PublicTaskPage: BrowserPage {
  let operations: [any Operation.Type] = [GetPublicTask.self]

  let routes = [
    PageRoute(
      .get, "/task/{key}", "publicTaskPage", "Page of a completed task, for anyone with a public link to it.",
      requirement: "TASK-6", parameters: [PublicLinkKey.parameter])
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    try await request.admit(GetPublicTask.self)
    let task = try await request.call(GetPublicTask.self, .init(key: try PublicLinkKey.read(request)))
    let description: HTML = task.description.map { "<blockquote dir=\"auto\">\($0.description)</blockquote>" } ?? ""
    return .page(
      PageContent(
        title: task.name.description,
        """
        <p>\(request.text("page.publicTask.completed", ["day": .text(PublicLinkKey.day(task.completedAt))]))</p>
        \(description)
        <p>\(participants(task, request))</p>
        <p><small>\(request.text("page.publicTask.report"))</small></p>
        """, layout: .publicTask))
  }

  /// Whose link it is, if that is to be seen, and how many others took part.
  private func participants(_ task: PublicTask, _ request: PageRequest) -> HTML {
    let count = task.otherParticipantCount
    let others = count == 0 ? "alone" : count == 1 ? "other" : "others"
    guard let username = task.username else {
      return "\(request.text("page.publicTask.\(others)", ["count": .number(count)]))"
    }
    // A name may turn the direction of what is around it.
    let name: HTML = task.nickname.map { "<bdi>\($0)</bdi> (\(username.description))" } ?? "<bdi>\(username.description)</bdi>"
    let text = request.text("page.publicTask.owner.\(others)", ["count": .number(count), "name": .text("\u{FFFC}")])
    let parts = text.split(at: "\u{FFFC}")
    return parts.count == 2 ? "\(parts[0])\(name)\(parts[1])" : "\(name) \(text)"
  }

  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent { PublicLinkKey.refusal(problem, request) }
}

/// The key of a public link, in the path of its page.
enum PublicLinkKey {
  static let parameter: JSON = [
    "name": "key", "in": "path", "required": true, "description": "The link's key.", "schema": LinkToken.schema,
  ]

  /// - Throws: `not_found` where it can be none.
  static func read(_ request: PageRequest) throws(Failure) -> String {
    let key = try LinkToken.read(request.parameters, orElse: Failure(RequestFailure.notFound), from: "key")
    guard LinkToken.isPlain(key) else { throw Failure(RequestFailure.notFound) }
    return key
  }

  /// `2026-11-21`, in UTC.
  static func day(_ instant: Instant) -> String { instant.description.beginning(maxBytes: 10) }

  /// The page for a link that does not work, whatever the reason, or that cannot be opened now.
  static func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    guard problem.status == 404 else { return PageContent(problem, title: request.text("page.publicLink.failed.title")) }
    return PageContent(
      status: 404, title: request.text("page.publicLink.none.title"),
      "<p role=\"alert\">\(request.text("page.publicLink.none.text"))</p>", layout: .publicTask)
  }
}

extension PageLayout {
  /// What people have chosen to show of themselves: their words, and no form.
  fileprivate static let publicTask = PageLayout(style: publicStyle, isolatesTitle: true)

  /// The same with their photo.
  static let publicProfile = PageLayout(style: publicStyle, imageSource: "'self'", isolatesTitle: true)

  private static let publicStyle = """
    :root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:0 auto;padding:2rem 1rem}\
    h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}h2{font-size:1.25rem;margin:2rem 0 .5rem}\
    p{overflow-wrap:anywhere}blockquote{margin:1rem 0;padding-inline-start:1rem;border-inline-start:.25rem solid;\
    white-space:pre-line;overflow-wrap:anywhere}img{width:6rem;height:6rem;object-fit:cover;border-radius:50%}\
    ul{list-style:none;margin:0;padding:0}li{display:flex;gap:1rem;justify-content:space-between;padding:.5rem 0;\
    border-bottom:1px solid}li>:first-child{overflow-wrap:anywhere;min-width:0}li>:nth-child(2){white-space:nowrap}\
    a:focus-visible{outline:3px solid;outline-offset:3px}
    """
}
