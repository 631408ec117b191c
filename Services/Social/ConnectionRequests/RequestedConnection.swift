import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What makes the requests for one kind of connection differ from those for the other.
protocol RequestedConnection: Connection {
  associatedtype Refusal: ConnectionRefusal

  /// The table of its requests.
  static var table: String { get }
  /// The column of their ids.
  static var idColumn: String { get }
  /// Whether the connection is mutual: at most one request then waits between two accounts, and a crossing request counts as agreement.
  static var isMutual: Bool { get }
  /// The condition, of an accepted request `r`, under which it is published as accepted to a new subscriber.
  static var isPublishedAsAccepted: String { get }

  static func exists(from account: AccountID, to other: AccountID, in database: Database) throws -> Bool
  /// How many an account may have; nil where it may have any number.
  static func limit(of account: AccountID, in database: Database) throws -> ConnectionLimit<Refusal>?
  /// Connects the sender with the recipient.
  static func begin(from account: AccountID, to other: AccountID, _ transaction: Transaction) throws

  static func sent(_ id: ID<ConnectionRequest<Self>>, from: Party, to: Party, at: Instant) -> any Event
  static func accepted(_ id: ID<ConnectionRequest<Self>>, from: Party, to: Party, at: Instant) -> any Event
  /// It was withdrawn or expired, for who was asked.
  static func ended(_ id: ID<ConnectionRequest<Self>>, to: AccountID, _ state: ConnectionRequestState, at: Instant) -> any Event
}

/// The recipient of a request.
protocol RequestSending {
  var username: Username { get }
}

/// Which request is answered, or withdrawn.
protocol RequestAnswer<Kind> {
  associatedtype Kind: Connection
  var requestID: ID<ConnectionRequest<Kind>> { get }
}

/// The failures of the rules that all requests share.
protocol ConnectionRefusal: FailureCode {
  static var toOneself: Self { get }
  static var alreadyConnected: Self { get }
  static var pending: Self { get }
  static var answered: Self { get }
  /// It was withdrawn, or nobody answered it in time.
  static var ended: Self { get }
}

/// How many connections of a kind an account may have, and how many it has; what it waits for is included.
struct ConnectionLimit<Refusal: ConnectionRefusal> {
  let maximum: Int
  let count: Int
  let refusal: Refusal
}

/// One of a request's two accounts, by the name that it has now.
struct Party {
  let id: AccountID
  let username: Username

  init(id: AccountID, username: Username) {
    self.id = id
    self.username = username
  }

  init(_ account: Accounts.Known) { self.init(id: account.id, username: account.username) }
}
