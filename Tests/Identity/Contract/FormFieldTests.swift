import IdentityContract
import Operations
import Testing

@Suite("A registration form on the wire")
struct FormFieldTests {
  private func decode(_ text: String) throws -> RegisterAccount.Input { try RegisterAccount.Input.decode(Array(text.utf8)) }

  @Test("A registration form is read despite wrong, missing or null fields, so that all faults can be reported together")
  func lenient() throws {
    let form = try decode(#"{"email": "nope", "password": null, "age": 7, "nickname": "", "timeZone": "Mars/Base"}"#)
    #expect(form.email.rule == FieldRule("invalid_email"))
    #expect(form.username.rule == FieldRule("required"))
    #expect(form.password.rule == FieldRule("required"))
    #expect(form.age == 7)
    #expect(form.nickname == .missing)
    #expect(form.name == nil)
  }

  @Test("A registration form that is no object is refused at once", arguments: ["[]", "1", "{"])
  func strict(text: String) { #expect(throws: Failure.self) { try decode(text) } }

  @Test(
    "A registration form keeps the faults that the decoder found, to be refused with them later",
    arguments: [
      (#"{"email": 1}"#, "email", "not_a_string"), (#"{"emial": "a@b.cd"}"#, "emial", "unknown_field"),
      (#"{"age": "x"}"#, "age", "not_a_whole_number"),
    ])
  func found(text: String, field: String, code: String) throws {
    #expect(try decode(text).found.with([]) == [FieldProblem(field: field, FieldRule(code))])
  }

  @Test("A registration form is written as it was typed")
  func roundTrip() throws {
    let text = #"{"email":"Ana@Example.com","username":"!","password":"Aa1!aaaa","passwordConfirmation":"","age":30}"#
    #expect(String(decoding: try decode(text).json, as: UTF8.self) == text)
  }

  @Test("A registration form is described with its required fields and limits")
  func schema() throws {
    var schemas = Schemas()
    _ = schemas.reference(to: RegisterAccount.Input.self)
    let form = try #require(schemas.components.first { $0.name == "RegisterAccountInput" }?.schema)
    #expect(form["required"] == ["email", "username", "password", "passwordConfirmation"])
    #expect(form["properties"]?["age"]?["minimum"] == 13)
    #expect(form["properties"]?["email"]?["format"] == "email")
  }

  @Test("A password does not show itself when printed for debugging, nor in a mirror")
  func passwordIsHidden() throws {
    let password = try Password(text: "Sup3r-secret!")
    #expect(!String(reflecting: password).contains("secret"))
    #expect(!String(describing: [password]).contains("secret"))
    #expect(Mirror(reflecting: password).children.isEmpty)
  }
}
