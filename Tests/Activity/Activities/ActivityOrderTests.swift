import ActivityContract
import ActivityService
import InProcess
import Operations
import Sampling
import Testing

@Suite("The order of activities")
struct ActivityOrderTests {
  private func titles(_ person: Person) async throws -> [String] {
    var (titles, cursor): ([String], PageCursor?) = ([], nil)
    repeat {
      let page = try await person.send(ListActivities.self, .init(limit: 3, cursor: cursor))
      titles += page.items.map(\.activity.title)
      cursor = page.nextCursor
    } while cursor != nil
    #expect(try await person.send(GetDay.self, .init(day: .today)).activities.map(\.title) == titles)
    return titles
  }

  @Test("Activities are listed in the order of their creation until one is moved behind another or to the front")
  func moves() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var ids: [String: ActivityID] = [:]
      for title in ["a", "b", "c", "d", "e"] { ids[title] = try await ana.makeActivity(title: title).id }
      func move(_ title: String, behind other: String?) async throws -> [String] {
        let id = try #require(ids[title])
        _ = try await ana.send(ReorderActivity.self, .init(activityID: id, after: other.flatMap { ids[$0] }))
        return try await titles(ana)
      }
      #expect(try await titles(ana) == ["a", "b", "c", "d", "e"])
      #expect(try await move("d", behind: "a") == ["a", "d", "b", "c", "e"])
      #expect(try await move("a", behind: "e") == ["d", "b", "c", "e", "a"])
      #expect(try await move("c", behind: nil) == ["c", "d", "b", "e", "a"])
      #expect(try await move("c", behind: nil) == ["c", "d", "b", "e", "a"])
      #expect(try await move("d", behind: "c") == ["c", "d", "b", "e", "a"])
      ids["f"] = try await ana.makeActivity(title: "f").id
      #expect(try await titles(ana) == ["c", "d", "b", "e", "a", "f"])
      let own = try #require(ids["a"])
      #expect(try await ana.refusedFields(ReorderActivity.self, .init(activityID: own, after: own)) == ["after after_itself"])
      // The order is the account's own matter: nothing is published of it.
      #expect(try await services.published(by: .activity).count == 6)
    }
  }

  @Test("Moving an activity behind null is refused, and leaves the order unchanged")
  func null() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var ids: [ActivityID] = []
      for title in ["a", "b"] { ids.append(try await ana.makeActivity(title: title).id) }
      do {
        _ = try await ana.send(ReorderActivity.self, json: Array(#"{"activityID":"\#(ids[1])","after":null}"#.utf8))
        Issue.record("null was taken")
      } catch let failure as Failure {
        #expect(failure.fields.map { "\($0.field) \($0.code)" } == ["after null"])
      }
      #expect(try await titles(ana) == ["a", "b"])
    }
  }

  @Test("The order of activities survives any number of moves, and equals that of a list in memory")
  func random() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      _ = try await ben.makeActivity(title: "z")
      var model: [(title: String, id: ActivityID)] = []
      for number in 0..<6 { model.append(("\(number)", try await ana.makeActivity(title: "\(number)").id)) }
      var generator = SeededGenerator(16)
      for step in 0..<400 {
        // Mostly into the same gap, so that its room runs out again and again.
        let from = Bool.random(using: &generator) ? model.count - 1 : Int.random(in: 0..<model.count, using: &generator)
        let moved = model.remove(at: from)
        let to = step % 3 == 0 ? Int.random(in: 0...model.count, using: &generator) : 1
        _ = try await ana.send(ReorderActivity.self, .init(activityID: moved.id, after: to == 0 ? nil : model[to - 1].id))
        model.insert(moved, at: to)
        if step % 50 == 49 { #expect(try await titles(ana) == model.map(\.title), "step \(step)") }
      }
      #expect(try await titles(ben) == ["z"])
    }
  }
}
