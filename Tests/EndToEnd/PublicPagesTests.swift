import Client
import Cluster
import IdentityContract
import Operations
import SocialContract
import Testing

@Suite("Public pages of a running cluster (TASK-6, UC8)", .serialized)
struct PublicPagesTests {
  @Test("Links show a completed task and a profile until they are revoked, and a profile without services that are down")
  func pages() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let (ana, ben) = (
      try await cluster.join("ana", password: "Rio-7-lento"), try await cluster.join("ben", password: "Mar-9-bravo")
    )
    let task = try await ana.client.call(
      CreateTask.self, .init(name: TaskName(text: "Paint"), participants: [ben.account.username]))
    for person in [ana, ben] { _ = try await person.client.call(ConfirmTaskCompletion.self, .init(taskID: task.id)) }
    let link = try await ana.client.call(CreateTaskLink.self, .init(taskID: task.id, showsOwner: true))
    let profile = try await ana.client.call(CreatePublicLink.self, .init())

    let anybody = cluster.client
    let shown = try await anybody.get(link.page)
    #expect(shown.status == 200 && shown.text.contains("<bdi>ana</bdi> and one other person took part."))
    #expect(!shown.text.contains("ben") && !shown.text.contains(ana.account.id.description))
    let whole = try await anybody.get(profile.page)
    #expect(whole.status == 200 && whole.text.contains("<a href=\"..\(link.page)\">") && !whole.text.contains("cannot be shown"))

    cluster.hold(.social)
    let partly = try await anybody.get(profile.page)
    #expect(partly.status == 200 && partly.text.contains("A part of this profile cannot be shown at the moment."))
    #expect(!partly.text.contains("Paint"))
    try cluster.release(.social)
    try await cluster.waitUntilReady()

    _ = try await ana.client.call(RevokeTaskLink.self, .init(taskLinkID: link.id))
    #expect(try await anybody.get(link.page).status == 404)
    #expect(try await !anybody.get(profile.page).text.contains("Paint"))
    _ = try await ana.client.call(RevokePublicLink.self, .init())
    #expect(try await anybody.get(profile.page).status == 404)
  }
}
