import Operations
import Testing

@Suite("The address of an account's photo")
struct PhotoURLTests {
  @Test("The address of an account's photo is read as it is written")
  func reading() throws {
    let account = AccountID()
    let url = PhotoURL(account: account, tag: "0123456789abcdef0123456789abcdef")
    #expect(url.description == "/v1/accounts/\(account)/photo?version=0123456789abcdef0123456789abcdef")
    #expect(try PhotoURL(text: url.description) == url)
  }

  @Test(
    "The address of an account's photo in any other form is refused",
    arguments: [
      "", "/v1/accounts/x/photo?version=0123456789abcdef0123456789abcdef",
      "/v1/accounts/\(AccountID.placeholder)/photo?version=0123456789ABCDEF0123456789abcdef",
      "/v1/accounts/\(AccountID.placeholder)/photo?version=0123456789abcdef",
      "/v2/accounts/\(AccountID.placeholder)/photo?version=0123456789abcdef0123456789abcdef",
      "https://example.com/v1/accounts/\(AccountID.placeholder)/photo?version=0123456789abcdef0123456789abcdef",
    ])
  func refusal(text: String) {
    #expect(throws: FieldRule("not_a_photo_url")) { try PhotoURL(text: text) }
  }
}
