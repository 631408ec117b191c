import ActivityContract
import Images
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the photos of entries, each kept as a picture that this service has encoded itself.
  mutating func serveEntryPhotos(_ calendars: AccountCalendars, _ processor: PictureProcessor) {
    serve(
      PutEntryPhoto.self,
      prepare: { input, call in
        try await calendars.prepare(input, call)
        // Where there is no entry, no picture is decoded.
        _ = try await call.read { database in
          try Entries.required(try calendars.goal(input.activityID, input.day, call, in: database), in: database)
        }
        return try await processor.picture(input.content.bytes, field: "content", of: call.account)
      },
      write: { input, picture, call, transaction in
        let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
        _ = try Entries.required(goal, in: transaction.database)
        return try calendars.write(
          EntryWrite(photo: .set(picture.tag)), picture: picture, goal, today: today, call, transaction)
      })

    serve(DeleteEntryPhoto.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
      guard try Entries.required(goal, in: transaction.database).photoTag != nil else {
        return try Entries.required(goal, in: transaction.database)
      }
      return try calendars.write(EntryWrite(photo: .remove), goal, today: today, call, transaction)
    }

    serve(GetEntryPhoto.self, prepare: calendars.prepare) { input, _, call, database in
      let day = try Follows.day(of: input, for: call.account, calendars, now: call.now, in: database)
      return try EntryPhotos.find(input.activityID, day, in: database)
    }
  }
}
