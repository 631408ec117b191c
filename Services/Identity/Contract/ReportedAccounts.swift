public import Operations

extension FeatureContract {
  static let reportedAccounts = FeatureContract(operations: [GetReportedAccount.self])
}

/// An account as others see it, copied for moderators when it is reported (SOC-8).
public struct ReportedAccount: Document, Hashable {
  public var username: Username
  public var nickname: Nickname?
  public var photo: MediaFile?

  public init(username: Username, nickname: Nickname?, photo: MediaFile?) {
    self.username = username
    self.nickname = nickname
    self.photo = photo
  }

  public static let notes: Notes = [
    "username": "Its username.", "nickname": "Its nickname, if it has one.", "photo": "Its photo; absent without one.",
  ]
}

/// Gives social a copy of an account that is reported (SOC-8).
public enum GetReportedAccount: OpenOperation {
  public struct Input: Document, Hashable {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account."]
  }

  public typealias Output = ReportedAccount

  public static let spec = OperationSpec(
    "reportedAccounts.get", of: .identity, nil, by: .services([.social]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-8"],
    "Returns a copy of a reported account; `not_found` if there is none.")
}
