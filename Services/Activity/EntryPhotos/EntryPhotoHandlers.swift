import ActivityContract
import GRDB
import Images
import Operations
import ServiceKit
import Storage

/// Photos of entries: put, read and deleted.
struct EntryPhotoHandlers: Sendable {
  let calendars: AccountCalendars
  let pictures: PictureProcessor

  func prepare(_ input: PutEntryPhoto.Input, _ call: AccountCall) async throws -> Picture {
    // Without an entry no picture is decoded.
    _ = try await call.read { database in
      try EntryStore.required(try calendars.goal(input.activityID, input.day, call, in: database), in: database)
    }
    return try await pictures.picture(input.content.bytes, field: "content", of: call.account)
  }

  func put(
    _ input: PutEntryPhoto.Input, _ picture: Picture, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PutEntryPhoto.Output {
    let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
    let entry = try EntryStore.required(goal, in: transaction.database)
    return try EntryStore.writeDetails(
      EntryWrite(photo: .set(picture.tag)), picture: picture, over: entry, goal, of: call.account, today: today, transaction)
  }

  func delete(
    _ input: DeleteEntryPhoto.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> DeleteEntryPhoto.Output {
    let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
    let entry = try EntryStore.required(goal, in: transaction.database)
    guard entry.photoTag != nil else { return entry.entry(of: goal) }
    return try EntryStore.writeDetails(
      EntryWrite(photo: .set(nil)), over: entry, goal, of: call.account, today: today, transaction)
  }

  func get(_ input: GetEntryPhoto.Input, _ call: AccountCall, _ database: Database) throws -> GetEntryPhoto.Output {
    let day = try FollowStore.day(of: input, for: call.account, calendars, now: call.now, in: database)
    return try EntryPhotoStore.find(input.activityID, day, in: database)
  }
}
