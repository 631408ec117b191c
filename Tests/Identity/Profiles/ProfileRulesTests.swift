import IdentityContract
import Operations
import SocialContract
import Testing

@testable import IdentityService

@Suite("Visibility of profiles (ID-11, SOC-8)")
struct ProfileRulesTests {
  @Test(
    "A profile is shown whole, with names only to a blocker, and not at all if its account blocks or is suspended",
    arguments: [
      (false, false, false, ProfileRules.View.whole), (true, false, false, .names), (false, true, false, .nothing),
      (true, true, false, .nothing), (false, false, true, .nothing), (true, false, true, .nothing),
      (true, true, true, .nothing),
    ])
  func views(isBlocked: Bool, isBlockedByOther: Bool, isSuspended: Bool, view: ProfileRules.View) {
    let known = KnownRelation(relation: Relation(isBlocked: isBlocked), isBlockedByOther: isBlockedByOther)
    #expect(ProfileRules.view(known, isSuspended: isSuspended) == view)
  }

  @Test(
    "A field of a profile is shown to those whom its owner chose, and to the owner",
    arguments: [
      (ProfileVisibility.hidden, false, false, true), (.friends, false, true, true), (.everyone, true, true, true),
    ])
  func fields(visibility: ProfileVisibility, stranger: Bool, friend: Bool, owner: Bool) {
    // Who follows, or has asked, is no friend.
    let strangers = [
      Relation(), Relation(follows: true), Relation(isFollowedBy: true), Relation(friendRequest: .sent, friendRequestID: .init()),
    ]
    for relation in strangers { #expect(ProfileRules.shows(visibility, to: relation, isOwn: false) == stranger) }
    #expect(ProfileRules.shows(visibility, to: Relation(isFriend: true), isOwn: false) == friend)
    #expect(ProfileRules.shows(visibility, to: Relation(), isOwn: true) == owner)
  }
}
