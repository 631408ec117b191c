import Foundation
import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Devices that take pushes: subscribed, listed, renamed, removed.
struct PushSubscriptionHandlers: Sendable {
  let keys: PushKeys
  let rules: PushEndpointRules
  /// Wakes the worker that sends pushes: some may have waited for the device.
  let pushes: WakeSignal

  func key(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> GetPushKey.Output {
    GetPushKey.Output(publicKey: try keys.newest())
  }

  func create(
    _ input: CreatePushSubscription.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PushSubscription {
    let session = try call.session
    var findings = FieldFindings()
    if !rules.allows(input.endpoint) { findings.add("endpoint", FieldRule("push_endpoint_not_allowed")) }
    if !PushEncryption.isPoint(input.keys.p256dh) { findings.add("keys.p256dh", FieldRule("not_a_push_key")) }
    let serverKey = try input.publicKey ?? keys.newest()
    if try keys.signer(serverKey) == nil { findings.add("publicKey", FieldRule("unknown_push_key")) }
    try findings.end()
    let others = try PushSubscriptionStore.count(of: call.account, except: input.endpoint, in: transaction.database)
    guard others < CreatePushSubscription.maxPerAccount else {
      throw PushSubscriptionFailure.tooMany.with(["max": .number(CreatePushSubscription.maxPerAccount)])
    }
    let device = PushSubscriptionStore.Device(
      endpoint: input.endpoint, key: input.keys.p256dh, secret: input.keys.auth, serverKey: serverKey, name: input.name,
      language: input.language)
    let id = try PushSubscriptionStore.put(device, of: call.account, in: session, transaction)
    transaction.afterCommit { [pushes] in pushes.send() }
    return try found(id, call, transaction.database)
  }

  func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<PushSubscription> {
    let page = try call.page(input)
    let newest = try keys.newest()
    let rows = try PushSubscriptionStore.list(
      of: call.account, in: call.caller.isInDoubt == true ? try call.session : nil,
      before: page.cursor(ID<PushSubscription>.init(text:)), limit: page.fetchLimit, in: database)
    return try page.page(of: rows.map { try PushSubscription($0, call, newest) }, key: \.id) { $0 }
  }

  func rename(
    _ input: RenamePushSubscription.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PushSubscription {
    try PushSubscriptionStore.rename(input.pushSubscriptionID, of: call.account, input.name, transaction)
    return try found(input.pushSubscriptionID, call, transaction.database)
  }

  static func delete(_ input: DeletePushSubscription.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try PushSubscriptionStore.find(input.pushSubscriptionID, of: call.account, in: transaction.database) != nil else {
      throw Failure(RequestFailure.notFound)
    }
    try PushSubscriptionStore.remove(input.pushSubscriptionID, transaction)
    return Empty()
  }

  private func found(_ id: ID<PushSubscription>, _ call: AccountCall, _ database: Database) throws -> PushSubscription {
    guard let row = try PushSubscriptionStore.find(id, of: call.account, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return try PushSubscription(row, call, try keys.newest())
  }
}

extension PushSubscription {
  /// As the caller sees it.
  fileprivate init(_ row: Row, _ call: AccountCall, _ newest: PushKey) throws {
    let endpoint: PushEndpoint = row["endpoint"]
    self.init(
      id: row["subscription_id"], name: row["name"], service: endpoint.origin, language: row["language"],
      isOfThisSession: call.caller.session == row["session_id"], isPaused: row["is_paused"],
      usesOldKey: (row["server_key"] as Data) != Data(newest.bytes), createdAt: row["created_at"],
      lastSentAt: row["last_sent_at"])
  }
}
