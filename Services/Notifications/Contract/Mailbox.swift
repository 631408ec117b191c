public import Operations

extension FeatureContract {
  static let mailbox = FeatureContract(operations: [ListMailbox.self, GetMailboxMail.self])
}

/// The name of a mail's file: letters, digits, `.`, `-` and `_`, not hidden, ending in `.eml`. No other can be asked for, so that
/// none leads out of the folder.
public struct MailFileName: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isPlain, (5...200).contains(text.utf8.count), text.ends(with: ".eml"), !text.begins(with: ".") else {
      throw FieldRule("wrong_type")
    }
    description = text
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = MailFileName(trusted: "none.eml")

  public static let schema: JSON = ["type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]*\\.eml$", "maxLength": 200]
}

/// A mail in the folder, with the fields of its head. Their text is untrusted, and is only to be shown as text.
public struct MailboxEntry: Document, Hashable {
  public var name: MailFileName
  public var subject: String
  public var from: String
  public var to: String
  public var writtenAt: Instant

  public init(name: MailFileName, subject: String, from: String, to: String, writtenAt: Instant) {
    self.name = name
    self.subject = subject
    self.from = from
    self.to = to
    self.writtenAt = writtenAt
  }

  public static let notes: Notes = [
    "name": "The file.", "subject": "Its subject.", "from": "The sender.", "to": "The addressee.",
    "writtenAt": "When it was written.",
  ]
}

/// The mails in the folder that are not sent, newest first, at most ``maximum`` (NOT-6).
///
/// Only the gateway may call this, for a page that only this machine sees: mails contain the secrets of links. Where a server sends the
/// mails, or the mailbox is turned off, there are none.
public enum ListMailbox: OpenOperation {
  public static let maximum = 200

  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var items: [MailboxEntry]

    public init(items: [MailboxEntry]) { self.items = items }

    public static let notes: Notes = ["items": "The mails, newest first."]
  }

  public static let spec = OperationSpec(
    "mailbox.list", of: .notifications, nil, by: .services([.gateway]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-6"], "Lists the mails in the folder.")
}

/// One of the mails that lie in the folder (NOT-6).
public enum GetMailboxMail: OpenOperation {
  public struct Input: Document {
    public var name: MailFileName

    public init(name: MailFileName) { self.name = name }

    public static let notes: Notes = ["name": "The file."]
  }

  public struct Output: Document, Hashable {
    public var head: MailboxEntry
    public var text: String?
    public var html: String?

    public init(head: MailboxEntry, text: String?, html: String?) {
      self.head = head
      self.text = text
      self.html = html
    }

    public static let notes: Notes = [
      "head": "Its subject, sender and date.", "text": Note("Its plain text.", breaksLines: true),
      "html": Note("Its HTML, as it was written.", breaksLines: true),
    ]
  }

  public static let spec = OperationSpec(
    "mailbox.get", of: .notifications, nil, by: .services([.gateway]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-6"], "Returns a mail in the folder.")
}
