import GatewayContract
import Operations

/// A page that people open in a browser, such as the target of a mailed link or of a provider's redirect.
///
/// Every outcome, refusals included, is a page in the visitor's language. Opening a page changes nothing, since mail scanners open links as
/// well: only a form's button, sent by POST, changes anything. No page runs a script or loads anything.
///
///     struct GreetingPage: BrowserPage {
///       let routes = [PageRoute(.get, "/greeting", "greetingPage", "Says hello.", requirement: "GW-1")]
///
///       func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
///         .page(PageContent(title: request.text("page.greeting.title"), "<p>\(request.text("page.greeting.text"))</p>"))
///       }
///
///       func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
///         PageContent(problem, title: request.text("page.greeting.title"))
///       }
///     }
///
/// A new page needs its file, its texts, and one line in ``BrowserPages/all(mailbox:isEncrypted:limits:profileParts:)``: its routes and its
/// part of the OpenAPI document follow from that.
protocol BrowserPage: Sendable {
  /// The methods and paths that the page serves.
  var routes: [PageRoute] { get }

  /// The operations that the page calls. The page is served only where all of them are.
  var operations: [any Operation.Type] { get }

  /// Answers what was asked for.
  ///
  /// - Throws: what ``refusal(_:_:)`` then shows.
  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer

  /// The page that says what went wrong.
  ///
  /// - Parameter request: as far as it was read.
  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent
}

extension BrowserPage {
  var operations: [any Operation.Type] { [] }
}

/// One method of a page, and how the OpenAPI document describes it.
struct PageRoute: Sendable {
  let method: Route.Method
  let path: String
  /// The document's name of it.
  let name: String
  let summary: String
  let requirement: String
  /// Parameters of path and query, as the document has them.
  var parameters: JSON?
  /// The schema of the form that is sent here.
  var form: JSON?
  /// Whether the form sends a file.
  var hasFile = false
  /// The target of the redirect, where the answer is not a page.
  var redirect: String?

  init(
    _ method: Route.Method, _ path: String, _ name: String, _ summary: String, requirement: String, parameters: JSON? = nil,
    form: JSON? = nil, hasFile: Bool = false, redirect: String? = nil
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    self.requirement = requirement
    self.parameters = parameters
    self.form = form
    self.hasFile = hasFile
    self.redirect = redirect
  }
}

/// How a page answers.
enum PageAnswer: Sendable {
  case page(PageContent)
  /// Sends the browser on.
  case redirect(to: String, cookie: String? = nil)
}

/// All pages.
enum BrowserPages {
  /// - Parameters:
  ///   - mailbox: who may look into the mailbox.
  ///   - isEncrypted: whether browsers reach the gateway over TLS.
  ///   - limits: how large files may be that are attached, and how many may come at the same time.
  ///   - profileParts: the operations by which services add to public profiles.
  static func all(
    mailbox: MailboxAccess = .none, isEncrypted: Bool = false, limits: GatewayConfiguration.Limits = .init(),
    profileParts: [any ProfilePartOperation.Type] = []
  ) -> [any BrowserPage] {
    [
      LinkPage.verification, LinkPage.emailChange, LinkPage.emailChangeUndoing,
      MailboxPage(access: mailbox, isEncrypted: isEncrypted), RecoveryPage(), LoginAlertPage(), SuspensionPage(),
      UnsubscribePage(), ReminderPage(),
      ExternalLoginReturnPage(), AttachPage(limits), PublicTaskPage(),
      PublicProfilePage(parts: profileParts),
    ]
  }
}
