public import Operations

extension FeatureContract {
  static let pushSubscriptions = FeatureContract(
    operations: [
      GetPushKey.self, CreatePushSubscription.self, ListPushSubscriptions.self, RenamePushSubscription.self,
      DeletePushSubscription.self, OpenPush.self,
    ])
}

/// The endpoint of a push subscription (RFC 8030, section 4; W3C Push API): a secret URL by which a push service reaches one device.
/// UnifiedPush's endpoints are of the same kind. It is kept unchanged, since push services identify the subscription by it.
public struct PushEndpoint: TextValue {
  /// Each of them is a byte: an endpoint is ASCII.
  public static let maxCharacters = 1000

  public let description: String
  /// Scheme, host and port, without the scheme's own (RFC 6454, section 6.2).
  public let origin: String
  /// The name or address of the service, in small letters, an IPv6 address in brackets.
  public let host: String
  public let port: Int
  public let isSecure: Bool

  public init(text: String) throws(FieldRule) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.maxCharacters else { throw FieldRule("too_long", ["max": .number(Self.maxCharacters)]) }
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) }),
      let scheme = ["https://", "http://"].first(where: { bytes.starts(with: $0.utf8) })
    else { throw FieldRule("not_a_push_endpoint") }
    isSecure = scheme == "https://"
    let authority = bytes.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard let (host, port) = Self.split(Array(authority)) else { throw FieldRule("not_a_push_endpoint") }
    let usual = isSecure ? 443 : 80
    self.host = host
    self.port = port ?? usual
    origin = scheme + host + (port == nil || port == usual ? "" : ":\(port ?? usual)")
    description = text
  }

  /// Host and port; nil for anything else, a name and password above all.
  private static func split(_ authority: [UInt8]) -> (String, Int?)? {
    var (host, rest) = (authority, [UInt8]())
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      (host, rest) = (Array(authority[...end]), Array(authority[(end + 1)...]))
      guard host.dropFirst().dropLast().allSatisfy({ isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else {
        return nil
      }
    } else {
      if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
        (host, rest) = (Array(authority[..<colon]), Array(authority[colon...]))
      }
      guard (1...253).contains(host.count), host.allSatisfy({ isLetterOrDigit($0) || "-._".utf8.contains($0) }) else {
        return nil
      }
    }
    let name = String(decoding: host.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    if rest.isEmpty { return (name, nil) }
    let digits = rest.dropFirst()
    guard rest[0] == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
    else { return nil }
    return (name, port)
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private init(trusted host: String) {
    (description, origin, self.host, port, isSecure) = ("https://\(host)/", "https://\(host)", host, 443, true)
  }

  public static let placeholder = PushEndpoint(trusted: "push.example.org")

  public static let schema: JSON = [
    "type": "string", "format": "uri", "maxLength": .integer(maxCharacters), "examples": ["https://push.example.org/send/AZrk0y"],
  ]
}

/// A key of P-256 as browsers give it: the uncompressed point, 65 bytes in base64url, padded or not (RFC 8291, section 2.1; RFC 8292,
/// section 3.2).
public struct PushKey: TextValue {
  public let bytes: [UInt8]

  public init(text: String) throws(FieldRule) {
    guard let bytes = PushText.decode(text), bytes.count == 65, bytes[0] == 4 else { throw FieldRule("not_a_push_key") }
    self.bytes = bytes
  }

  /// - Parameter bytes: 65 of them, the first a 4.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 65, bytes[0] == 4 else { return nil }
    self.bytes = bytes
  }

  public var description: String { PushText.encode(bytes) }

  private init(trusted bytes: [UInt8]) { self.bytes = bytes }

  public static let placeholder = PushKey(trusted: [4] + Array(repeating: 0, count: 64))

  public static let schema: JSON = [
    "type": "string", "minLength": 87, "maxLength": 88,
    "examples": ["BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"],
  ]
}

/// The secret that a browser shares with who pushes to it: 16 bytes in base64url, padded or not (RFC 8291, section 3.2).
public struct PushSecret: TextValue {
  public let bytes: [UInt8]

  public init(text: String) throws(FieldRule) {
    guard let bytes = PushText.decode(text), bytes.count == 16 else { throw FieldRule("not_a_push_secret") }
    self.bytes = bytes
  }

  public var description: String { PushText.encode(bytes) }

  private init(trusted bytes: [UInt8]) { self.bytes = bytes }

  public static let placeholder = PushSecret(trusted: Array(repeating: 0, count: 16))
  public static let schema: JSON = ["type": "string", "minLength": 22, "maxLength": 24, "examples": ["BTBZMqHH6r4Tts7J_aSIgg"]]
}

/// Base64url (RFC 4648, section 5).
private enum PushText {
  static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 100 else { return nil }
    let plain = text.utf8.filter { $0 != UInt8(ascii: "=") }.map {
      $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
    }
    let padded = plain + Array(repeating: UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
    do throws(FieldRule) { return try Base64Bytes(text: String(decoding: padded, as: UTF8.self)).bytes } catch { return nil }
  }

  static func encode(_ bytes: [UInt8]) -> String {
    let text = Base64Bytes(bytes).description.utf8.filter { $0 != UInt8(ascii: "=") }.map {
      $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// What an account calls a device that takes pushes: 1 to 60 characters on one line, blanks at the ends cut off.
public struct PushSubscriptionName: TextValue {
  public static let maxCharacters = 60

  public let description: String

  public init(text: String) throws(FieldRule) {
    guard !text.isBlank else { throw FieldRule("empty") }
    guard !ShortText.hasControl(text) else { throw FieldRule("control_character") }
    if let rule = ShortText.brokenLength(text, maximum: Self.maxCharacters) { throw rule }
    description = text.trimmed
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = PushSubscriptionName(trusted: "…")

  public static let schema: JSON = [
    "type": "string", "minLength": 1, "maxLength": .integer(maxCharacters * ShortText.maxBytesPerCharacter),
    "examples": ["Ana's phone"],
  ]
}

/// A device that takes pushes, as its owner sees it (NOT-5). Where it is reached stays the device's secret.
public struct PushSubscription: Document, Hashable {
  public var id: ID<PushSubscription>
  public var name: PushSubscriptionName?
  public var service: String
  public var language: Language?
  public var isOfThisSession: Bool
  public var isPaused: Bool
  public var usesOldKey: Bool
  public var createdAt: Instant
  public var lastSentAt: Instant?

  public init(
    id: ID<PushSubscription>, name: PushSubscriptionName?, service: String, language: Language?, isOfThisSession: Bool,
    isPaused: Bool, usesOldKey: Bool, createdAt: Instant, lastSentAt: Instant?
  ) {
    self.id = id
    self.name = name
    self.service = service
    self.language = language
    self.isOfThisSession = isOfThisSession
    self.isPaused = isPaused
    self.usesOldKey = usesOldKey
    self.createdAt = createdAt
    self.lastSentAt = lastSentAt
  }

  public static let notes: Notes = [
    "id": "Id of the subscription.", "name": "The caller's name for the device; absent without one.",
    "service": Note("The push service that delivers to it.", example: "https://push.example.org"),
    "language": "The language of its pushes; the account's if absent.",
    "isOfThisSession": "Whether it belongs to the calling session.",
    "isPaused": "Whether nothing is pushed to it because its session is in doubt.",
    "usesOldKey": "Whether it was created with a server key that will be retired: subscribe the device again.",
    "createdAt": "When it was created.", "lastSentAt": "When its push service last accepted a push for it; absent if never.",
  ]
}

/// Why a device is not subscribed.
public enum PushSubscriptionFailure: String, FailureCode {
  /// The account has as many as one may have.
  case tooMany = "too_many_push_subscriptions"

  public var status: Int { 409 }
}

/// The server's public key, which browsers want in order to subscribe: `applicationServerKey` of W3C's Push API, the VAPID key of RFC 8292
/// (NOT-5).
public enum GetPushKey: AccountOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var publicKey: PushKey

    public init(publicKey: PushKey) { self.publicKey = publicKey }

    public static let notes: Notes = ["publicKey": "The key to subscribe with."]
  }

  public static let spec = OperationSpec(
    "pushSubscriptions.getKey", of: .notifications, .get("/v1/push-key"), by: .account, effect: .read, requirements: ["NOT-5"],
    "Returns the server's public key, with which browsers and apps subscribe to pushes.")
}

/// Subscribes a device to pushes (NOT-5), with the data that the browser's `subscribe` returned, or UnifiedPush's distributor gave to the
/// app.
///
/// The subscription belongs to the calling session and ends with it. The same endpoint again updates the same subscription; if another
/// account had it from the same device, that account loses it.
public enum CreatePushSubscription: AccountOperation {
  /// Most subscriptions of an account.
  public static let maxPerAccount = 20

  /// The keys of the device.
  public struct Keys: Document, Hashable {
    public var p256dh: PushKey
    public var auth: PushSecret

    public init(p256dh: PushKey, auth: PushSecret) {
      self.p256dh = p256dh
      self.auth = auth
    }

    public static let notes: Notes = ["p256dh": "The device's public key.", "auth": "The device's secret."]
  }

  public struct Input: Document, Hashable {
    public var endpoint: PushEndpoint
    public var keys: Keys
    public var publicKey: PushKey?
    public var name: PushSubscriptionName?
    public var language: Language?

    public init(
      endpoint: PushEndpoint, keys: Keys, publicKey: PushKey? = nil, name: PushSubscriptionName? = nil, language: Language? = nil
    ) {
      self.endpoint = endpoint
      self.keys = keys
      self.publicKey = publicKey
      self.name = name
      self.language = language
    }

    public static let notes: Notes = [
      "endpoint": "The address at which the push service accepts pushes: https at port 443, on the public internet.",
      "keys": "The device's keys.",
      "publicKey": "The server key that the device subscribed with; the present one if absent.",
      "name": "A name for the device.", "language": "The language of its pushes; the account's if absent.",
    ]
  }

  public typealias Output = PushSubscription

  public static let spec = OperationSpec(
    "pushSubscriptions.create", of: .notifications, .post("/v1/push-subscriptions"), by: .account, effect: .create,
    isForSessionsOnly: true, failures: [PushSubscriptionFailure.tooMany.kind], requirements: ["NOT-5"],
    "Subscribes a device to pushes of the caller's notifications; needs a session, and lasts as long as it.")
}

/// The caller's devices that take pushes, newest first (NOT-5). A session in doubt sees its own alone.
public enum ListPushSubscriptions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<PushSubscription>

  public static let spec = OperationSpec(
    "pushSubscriptions.list", of: .notifications, .get("/v1/push-subscriptions"), by: .account, effect: .read,
    requirements: ["NOT-5"], "Lists the caller's devices that receive pushes, newest first.")
}

/// Calls a device that takes pushes something else (NOT-5).
public enum RenamePushSubscription: AccountOperation {
  public struct Input: Document, Hashable {
    public var pushSubscriptionID: ID<PushSubscription>
    public var name: PushSubscriptionName

    public init(pushSubscriptionID: ID<PushSubscription>, name: PushSubscriptionName) {
      self.pushSubscriptionID = pushSubscriptionID
      self.name = name
    }

    public static let notes: Notes = ["pushSubscriptionID": "The subscription.", "name": "The new name for the device."]
  }

  public typealias Output = PushSubscription

  public static let spec = OperationSpec(
    "pushSubscriptions.rename", of: .notifications, .put("/v1/push-subscriptions/{pushSubscriptionID}/name"), by: .account,
    effect: .write, failures: [RequestFailure.notFound.kind], requirements: ["NOT-5"],
    "Renames a device that receives pushes.")
}

/// Has nothing pushed to a device any more (NOT-5).
public enum DeletePushSubscription: AccountOperation {
  public struct Input: Document, Hashable {
    public var pushSubscriptionID: ID<PushSubscription>

    public init(pushSubscriptionID: ID<PushSubscription>) { self.pushSubscriptionID = pushSubscriptionID }

    public static let notes: Notes = ["pushSubscriptionID": "The subscription."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "pushSubscriptions.delete", of: .notifications, .delete("/v1/push-subscriptions/{pushSubscriptionID}"), by: .account,
    effect: .write, failures: [RequestFailure.notFound.kind], requirements: ["NOT-5"],
    "Unsubscribes a device from pushes.")
}

/// Reports that a push was opened: its notification is marked as read, and the delivery log notes it (NOT-5). A push names its delivery in
/// `notification.data.deliveryID`, and after `#delivery=` in its target URL.
public enum OpenPush: AccountOperation {
  public struct Input: Document, Hashable {
    public var deliveryID: ID<NotificationDelivery>

    public init(deliveryID: ID<NotificationDelivery>) { self.deliveryID = deliveryID }

    public static let notes: Notes = ["deliveryID": "The push's delivery."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "pushes.open", of: .notifications, .post("/v1/pushes/{deliveryID}/open"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-5"],
    "Reports that a push was opened: its notification is read.")
}
