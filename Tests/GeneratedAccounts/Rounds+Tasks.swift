import IdentityContract
import Operations
import SocialContract

extension OperationRound {
  static let tasks = [
    OperationRound("tasks") { try await $0.tasks() },
    OperationRound("help and parts") { try await $0.helpAndParts() },
    OperationRound("files", .once) { try await $0.files() },
    OperationRound("task series") { try await $0.series() },
  ]
}

extension RoundWorker {
  private func makeTask() async throws -> ID<SharedTask> {
    try await ana(CreateTask.self, .init(name: TaskName(text: "Round \(name)"), participants: [ben.username])).id
  }

  func tasks() async throws {
    let id = try await makeTask()
    try await ana(ListTasks.self, .init())
    try await ana(GetTask.self, .init(taskID: id))
    try await ana(UpdateTask.self, .init(taskID: id, name: .set(try TaskName(text: "Other \(name)"))))
    try await ana(ConfirmTaskCompletion.self, .init(taskID: id))
    try await ana(WithdrawTaskCompletion.self, .init(taskID: id))
    let comment = try await ben(CreateTaskComment.self, .init(taskID: id, text: ChatText(text: "On my way."))).id
    try await ana(ListTaskComments.self, .init(taskID: id))
    try await ben(RemoveTaskComment.self, .init(taskID: id, commentID: comment))
    try await ana(RemoveTaskParticipant.self, .init(taskID: id, accountID: ben.id))
    try await ana(AddTaskParticipants.self, .init(taskID: id, participants: [ben.username]))
    try await ben(OptOutOfTask.self, .init(taskID: id, confirm: true))
    try await ana(ConfirmTaskCompletion.self, .init(taskID: id))
    let link = try await ana(CreateTaskLink.self, .init(taskID: id))
    try await ana(ListTaskLinks.self, .init())
    try await anybody(GetPublicTask.self, .init(key: link.key))
    try await ana(RevokeTaskLink.self, .init(taskLinkID: link.id))
  }

  func helpAndParts() async throws {
    let id = try await makeTask()
    let request = try await ana(RequestTaskHelp.self, .init(taskID: id)).id
    try await ben(CreateTaskComment.self, .init(taskID: id, text: ChatText(text: "Here I am."), helpID: request))
    try await ana(ThankForTaskHelp.self, .init(taskID: id, helpID: request, accountID: ben.id))
    try await ana(CloseTaskHelp.self, .init(taskID: id, helpID: request))
    try await ben(OfferTaskHelp.self, .init(taskID: id))
    let part = try await ana(CreateTaskPart.self, .init(taskID: id, title: TaskName(text: "A part"))).id
    try await ana(UpdateTaskPart.self, .init(taskID: id, partID: part, title: .set(try TaskName(text: "The part"))))
    try await ben(CompleteTaskPart.self, .init(taskID: id, partID: part))
    try await ben(ReopenTaskPart.self, .init(taskID: id, partID: part))
    try await ana(DeleteTaskPart.self, .init(taskID: id, partID: part))
    try await ana(CancelTask.self, .init(taskID: id))
  }

  func files() async throws {
    let id = try await makeTask()
    let content = Array("Round \(name)".utf8)
    let announcement = CreateTaskAttachment.Input(
      taskID: id, name: try TaskAttachmentName(text: "a.txt"), totalBytes: content.count)
    let file = try await ana(CreateTaskAttachment.self, announcement).id
    try await ana(
      UploadTaskAttachmentChunk.self, .init(attachmentID: file, offset: 0, content: Base64Bytes(content)))
    try await ana(CompleteTaskAttachment.self, .init(attachmentID: file))
    try await ben(ListTaskAttachments.self, .init(taskID: id))
    try await ben(GetTaskAttachment.self, .init(attachmentID: file))
    try await ben(DownloadTaskAttachmentChunk.self, .init(attachmentID: file, offset: 0))
    let report = try await ben(CreateReport.self, .init(subject: .taskAttachment(file), reason: .spam)).id
    try await administrator(DownloadReportedFileChunk.self, .init(reportID: report, offset: 0))
    try await ana(DeleteTaskAttachment.self, .init(attachmentID: file))
    let other = try await ana(CreateTaskAttachment.self, announcement).id
    try await ana(CancelTaskAttachment.self, .init(attachmentID: other))
    try await ana(RenewTaskToken.self, .init(taskID: id))
    try await ana(GetTaskToken.self, .init(taskID: id))
    try await ana(CancelTask.self, .init(taskID: id))
    try await settleReport(of: ana.id)
  }

  private func settleReport(of account: AccountID) async throws {
    let cases = try await administrator(ListModerationCases.self, .init(limit: 100)).items
    for found in cases where found.accountID == account {
      try await administrator(DecideModerationCase.self, .init(caseID: found.id, outcome: .nothing))
    }
  }

  func series() async throws {
    let input = CreateTaskSeries.Input(
      name: try TaskName(text: "Series \(name)"), participants: [ben.username], schedule: .everyNDays(30), startDay: day(20))
    let id = try await ana(CreateTaskSeries.self, input).id
    try await ana(ListTaskSeries.self, .init())
    try await ana(GetTaskSeries.self, .init(seriesID: id))
    try await ana(UpdateTaskSeries.self, .init(seriesID: id, name: .set(try TaskName(text: "Other \(name)"))))
    try await ana(RemoveTaskSeriesParticipant.self, .init(seriesID: id, accountID: ben.id))
    try await ana(AddTaskSeriesParticipants.self, .init(seriesID: id, participants: [ben.username]))
    try await ben(OptOutOfTaskSeries.self, .init(seriesID: id, confirm: true))
    try await ana(EndTaskSeries.self, .init(seriesID: id))
  }
}
