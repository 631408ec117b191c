import GatewayContract
import IdentityContract
import Operations

/// `/profile/{key}` (TASK-6, UC8): what an account has chosen to show to anyone with the link to its public profile. The page needs no
/// login and no script.
///
/// Identity supplies the owner's names; each service that declares a ``ProfilePartOperation`` adds a part. If a service does not answer,
/// its part is left out with a note.
struct PublicProfilePage: BrowserPage {
  /// How long a part is waited for, in seconds.
  private static let partSeconds = 2

  /// What the services add, in the order in which it is shown.
  let parts: [any ProfilePartOperation.Type]

  let operations: [any Operation.Type] = [OpenPublicProfile.self, GetPublicProfile.self]

  let routes = [
    PageRoute(
      .get, "/profile/{key}", "publicProfilePage", "Page of a public profile, for anyone with the link to it.",
      requirement: "TASK-6", parameters: [PublicLinkKey.parameter])
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    try await request.admit(GetPublicProfile.self)
    let key = try PublicLinkKey.read(request)
    let opened = try await request.callAsGateway(OpenPublicProfile.self, .init(key: key))
    let found = await ask(.init(accountID: opened.accountID, language: request.language), request)
    let shown = found.compactMap { $0 }.filter { !$0.items.isEmpty }
    let isWhole = found.allSatisfy { $0 != nil }
    let missing: HTML = isWhole ? "" : "<p role=\"status\">\(request.text("page.publicProfile.incomplete"))</p>"
    let profile = opened.profile
    return .page(
      PageContent(
        title: profile.nickname?.description ?? profile.username.description,
        """
        \(photo(profile, key))
        <p>\(about(profile, request))</p>
        \(shown.map { section($0) })\(missing)
        """, layout: .publicProfile))
  }

  /// What the services add; nil for those that do not answer.
  private func ask(_ input: ProfilePartInput, _ request: PageRequest) async -> [ProfilePart?] {
    await withTaskGroup(of: (Int, ProfilePart?).self) { tasks in
      for (index, part) in parts.enumerated() {
        tasks.addTask { (index, await Self.read(part, input, request)) }
      }
      return await tasks.reduce(into: [ProfilePart?](repeating: nil, count: parts.count)) { $0[$1.0] = $1.1 }
    }
  }

  private static func read<O: ProfilePartOperation>(
    _ part: O.Type, _ input: ProfilePartInput, _ request: PageRequest
  ) async -> ProfilePart? {
    do throws(Failure) {
      return try await request.callAsGateway(part, input, seconds: partSeconds)
    } catch {
      // The page says that something is missing.
      return nil
    }
  }

  // MARK: - Parts of the page

  private func photo(_ profile: PublicProfile, _ key: String) -> HTML {
    profile.photoTag == nil ? "" : "<img src=\"../v1/public-profiles/\(key)/photo\" alt=\"\">"
  }

  private func about(_ profile: PublicProfile, _ request: PageRequest) -> HTML {
    let since = request.text("page.publicProfile.since", ["day": .text(PublicLinkKey.day(profile.createdAt))])
    guard profile.nickname != nil else { return "\(since)" }
    return "<bdi>\(profile.username.description)</bdi><br>\(since)"
  }

  private func section(_ part: ProfilePart) -> HTML {
    let items = part.items.map { item -> HTML in
      let text: HTML = "<bdi>\(item.text)</bdi>"
      // Pages lie beside this one, wherever the gateway does.
      let linked: HTML = item.page.map { "<a href=\"..\($0)\">\(text)</a>" } ?? "<span>\(text)</span>"
      let detail: HTML = item.detail.map { "<span>\($0)</span>" } ?? ""
      return "<li>\(linked)\(detail)</li>\n"
    }
    return "<h2>\(part.heading)</h2>\n<ul>\n\(items)</ul>\n"
  }

  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent { PublicLinkKey.refusal(problem, request) }
}
