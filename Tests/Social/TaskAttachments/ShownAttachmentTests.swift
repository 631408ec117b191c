import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("The files of a task, shown with the task itself (TASK-2, TASK-8)")
struct ShownAttachmentTests {
  @Test("A task is shown with its last files, the newest first, as the list of them has them, and with whether there are more")
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
}
