import GatewayContract
import NotificationsContract
import Operations

/// `/reminder`, the target of the links in a reminder's push and mail (NOT-2): the activity, and buttons to mark it as done or to be
/// reminded again.
struct ReminderPage: BrowserPage {
  private static let path = "/reminder"

  let operations: [any Operation.Type] = [GetReminder.self, AnswerReminderByLink.self]

  let routes = [
    PageRoute(
      .get, path, "reminderPage", "Page of the links in a reminder; its buttons call `reminders.answerByLink`.",
      requirement: "NOT-2", parameters: [LinkToken.parameter]),
    PageRoute(
      .post, path, "reminderForm", "Submits the page's forms, as `reminders.answerByLink`; always answers with a page.",
      requirement: "NOT-2",
      form: [
        "type": "object", "required": ["token", "answer"],
        "properties": [
          "token": LinkToken.schema,
          "answer": ["type": "string", "enum": .array(ReminderReply.allCases.map { .string($0.rawValue) })],
          "minutes": [
            "type": "integer", "minimum": .integer(ReminderDelay.bounds.lowerBound),
            "maximum": .integer(ReminderDelay.bounds.upperBound),
          ],
        ],
      ]),
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    guard request.isForm else {
      try await request.admit(GetReminder.self)
      let query = try request.readQuery()
      let token = try ReminderPage.token(query)
      let found = try await request.call(GetReminder.self, .init(token: token))
      return .page(found.answer == nil ? forms(found, token, startingWith: query["answer"], request) : done(found, request))
    }
    try await request.admit(AnswerReminderByLink.self)
    let fields = try request.readForm()
    let token = try ReminderPage.token(fields)
    guard let text = fields["answer"] else { throw Failure.field("answer", FieldRule("required")) }
    let answer: ReminderReply
    do throws(FieldRule) { answer = try ReminderReply(text: text) } catch { throw Failure.field("answer", error) }
    let minutes = fields["minutes"].flatMap { Int($0) }
    if fields["minutes"] != nil, !(minutes.map(ReminderDelay.bounds.contains) ?? false) {
      throw Failure.field(
        "minutes",
        FieldRule(
          "out_of_range",
          ["min": .number(ReminderDelay.bounds.lowerBound), "max": .number(ReminderDelay.bounds.upperBound)]))
    }
    return .page(
      done(try await request.call(AnswerReminderByLink.self, .init(token: token, answer: answer, minutes: minutes)), request))
  }

  private static func token(_ fields: [String: String]) throws(Failure) -> String {
    let invalid = Failure(ReminderFailure.notFound)
    let token = try LinkToken.read(fields, orElse: invalid)
    // It is written into the page.
    guard LinkToken.isPlain(token) else { throw invalid }
    return token
  }

  private func parameters(_ found: AnswerableReminder) -> [String: Parameter] {
    [
      "activity": .text(found.title), "username": .text(found.username.description), "time": .text("\(found.time)"),
      "day": .text(found.day.description),
    ]
  }

  /// - Parameter first: the answer whose link was followed.
  private func forms(
    _ found: AnswerableReminder, _ token: String, startingWith first: String?, _ request: PageRequest
  ) -> PageContent {
    let done = form(token, .done, nil, request.text("page.reminder.done.button"))
    let again = ReminderDelay.usual.map { minutes in
      form(token, .again, minutes, request.text("page.reminder.again.button", ["minutes": .number(minutes)]))
    }
    let all = first == ReminderReply.again.rawValue ? again + [done] : [done] + again
    return PageContent(
      title: request.text("page.reminder.title"),
      "<p>\(request.text("page.reminder.text", parameters(found)))</p>\n\(all)")
  }

  private func form(_ token: String, _ answer: ReminderReply, _ minutes: Int?, _ button: String) -> HTML {
    let delay: HTML =
      if let minutes { "<input type=\"hidden\" name=\"minutes\" value=\"\(String(minutes))\">" } else { "" }
    return """
      <form method="post" action="reminder"><input type="hidden" name="token" value="\(token)">\
      <input type="hidden" name="answer" value="\(answer.rawValue)">\(delay)\
      <p><button type="submit">\(button)</button></p></form>
      """
  }

  private func done(_ found: AnswerableReminder, _ request: PageRequest) -> PageContent {
    let answer = found.answer ?? .done
    return PageContent(
      title: request.text("page.reminder.\(answer.rawValue).title"),
      "<p>\(request.text("page.reminder.\(answer.rawValue).text", parameters(found)))</p>")
  }

  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(problem, title: request.text("page.reminder.refused.title"))
  }
}
