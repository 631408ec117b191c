import Operations

/// A contract made for these tests.
extension Contract {
  static let trial = Contract(
    .social,
    operations: [
      ReadThing.self, ListThings.self, MakeThing.self, DropThing.self, PokeThing.self, Echo.self, Internal.self, KeepFile.self,
      ReadFile.self,
    ], events: [],
    words: [])
}

struct Thing: Document, Hashable {
  var id: String
  var title: String

  static let notes: Notes = ["id": Note("Its id.", example: "7"), "title": Note("Its title.", length: 1...80, example: "Run")]
}

enum ReadThing: AccountOperation {
  struct Input: Document {
    var thingID: String
    var isFull: Bool?
    static let notes: Notes = ["thingID": "Which.", "isFull": "Whether with everything."]
  }
  typealias Output = Thing
  static let spec = OperationSpec(
    "things.get", of: .social, .get("/v1/things/{thingID}"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["GW-1"], "Read a thing.")
}

enum ListThings: AccountOperation {
  struct Input: Document {
    var limit: Int?
    static let notes: Notes = ["limit": Note("Most.", range: 1...100)]
  }
  typealias Output = Page<Thing>
  static let spec = OperationSpec(
    "things.list", of: .social, .get("/v1/things"), by: .account, effect: .read, requirements: ["GW-1"], "List things.")
}

enum MakeThing: AccountOperation {
  struct Input: Document {
    var title: String
    static let notes: Notes = ["title": Note("Its title.", length: 1...80)]
  }
  typealias Output = Thing
  static let spec = OperationSpec(
    "things.create", of: .social, .post("/v1/things"), by: .verifiedAccount, effect: .create, requirements: ["GW-1"],
    "Make a thing.")
}

enum DropThing: AccountOperation {
  struct Input: Document {
    var thingID: String
    static let notes: Notes = ["thingID": "Which."]
  }
  typealias Output = Empty
  static let spec = OperationSpec(
    "things.drop", of: .social, .delete("/v1/things/{thingID}"), by: .account, effect: .write, requirements: ["GW-1"],
    "Drop a thing.")
}

enum PokeThing: OpenOperation {
  typealias Input = Empty
  typealias Output = Empty
  static let spec = OperationSpec(
    "things.poke", of: .social, .post("/v1/things/poke"), by: .anyone, effect: .write, rate: .sensitive, requirements: ["GW-1"],
    "Poke.")
}

enum Echo: OpenOperation {
  struct Input: Document {
    var text: String
    static let notes: Notes = ["text": "Anything."]
  }
  typealias Output = Input
  static let spec = OperationSpec(
    "things.echo", of: .social, .put("/v1/echo"), by: .anyone, effect: .write, requirements: ["GW-1"], "Say it again.")
}

enum KeepFile: AccountOperation {
  struct Input: Document {
    var thingID: String
    var content: Base64Bytes
    static let notes: Notes = ["thingID": "Whose.", "content": "The file."]
  }
  typealias Output = Thing
  static let spec = OperationSpec(
    "things.keepFile", of: .social, .put("/v1/things/{thingID}/file"), by: .account, effect: .write,
    raw: .body("content", "image/*"), requirements: ["GW-1"], "Keep a thing's file.")
}

enum ReadFile: OpenOperation {
  struct Input: Document {
    var thingID: String
    static let notes: Notes = ["thingID": "Whose."]
  }
  typealias Output = MediaFile
  static let spec = OperationSpec(
    "things.readFile", of: .social, .get("/v1/things/{thingID}/file"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(["image/png", "image/webp"]), requirements: ["GW-1"],
    "Read a thing's file.")
}

enum Internal: OpenOperation {
  typealias Input = Empty
  typealias Output = Empty
  static let spec = OperationSpec(
    "things.internal", of: .social, .get("/v1/internal"), by: .services([.rewards]), effect: .read, requirements: [],
    "Not for clients.")
}
