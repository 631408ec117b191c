import InProcess
import NotificationsContract
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Files shown with their task (TASK-2, TASK-8)")
struct ShownAttachmentTests {
  @Test("A task is shown with its latest files, newest first, as in their list, and with whether there are more")
  func shown() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      #expect(try await ana.details(of: task).attachments.isEmpty)
      let plan = try await ben.attach("plan.txt", Attaching.bytes(2000), to: task.id)
      try await ana.attach("photo.jpg", Attaching.bytes(3000), to: task.id)
      for person in people {
        let details = try await person.details(of: task)
        #expect(details.attachments == (try await person.attachments(of: task.id)) && !details.hasMoreAttachments)
        #expect(details.attachments.map(\.name.description) == ["photo.jpg", "plan.txt"])
      }
      #expect(try await ana.details(of: task).attachments.map(\.canDelete) == [true, true])
      #expect(try await ben.details(of: task).attachments.map(\.canDelete) == [false, true])
      _ = try await ben.send(DeleteTaskAttachment.self, .init(attachmentID: plan.id))
      #expect(try await ben.details(of: task).attachments.map(\.name.description) == ["photo.jpg"])

      for number in 0..<TaskAttachmentStore.shownWithTask {
        try await ben.attach("\(number).txt", Attaching.bytes(10, number), to: task.id)
        if number == TaskAttachmentStore.shownWithTask - 2 { #expect(try await !ana.details(of: task).hasMoreAttachments) }
      }
      let details = try await ana.details(of: task)
      #expect(details.attachments == (try await ana.attachments(of: task.id)) && details.hasMoreAttachments)
    }
  }

  @Test(
    "A new file is published to each participant with its owner's visible name, and one by the token without a name")
  func announced() async throws {
    try await ServicesInProcess.withPeople(2, notified: true) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      func last() async throws -> [AccountID: TaskAttachmentsChanged] {
        let events = try await services.attachmentEvents().suffix(2)
        return Dictionary(uniqueKeysWithValues: events.map { ($0.accountID, $0) })
      }
      let token = try #require(try await ana.send(RenewTaskToken.self, .init(taskID: task.id)).token).description
      try await services.page.attach("dropped.txt", Attaching.bytes(10), token: token)
      #expect(try await last().values.allSatisfy { $0.byAccountID == nil && $0.byUsername == nil })
      for person in people {
        let notice = try #require(try await services.notices(of: person).first)
        #expect(notice.kind.rawValue == "taskAttachedByToken")
        #expect(notice.text == "“dropped.txt” was attached to “Paint” with the token of the task.")
      }
      try await ben.attach("plan.txt", Attaching.bytes(20), to: task.id)
      let name = try services.identity.username(of: ben.id)
      #expect(try await last()[ana.id]?.byUsername == name)
      // Whom somebody has blocked learns none of its names, as in the list of the files.
      try await ben.block(ana)
      try await ben.attach("later.txt", Attaching.bytes(30), to: task.id)
      let events = try await last()
      #expect(events[ana.id]?.byAccountID == ben.id && events[ana.id]?.byUsername == nil && events[ben.id]?.byUsername == name)
      #expect(try await ana.attachments(of: task.id).first?.username == nil)
    }
  }
}
