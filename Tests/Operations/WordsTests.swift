import Operations
import Testing

@Suite("Words")
struct WordsTests {
  let words = Words([])

  @Test("Every text exists in both languages, with the same parameters")
  func bothLanguages() {
    #expect(words.keys(.english) == words.keys(.spanish))
    #expect(words.keys(.english).count > 40)
  }

  @Test("Every failure that any request can have has a text")
  func failures() {
    for failure in RequestFailure.allCases {
      #expect(words.text("failure.\(failure.rawValue)", .spanish) != nil, "\(failure)")
    }
  }

  @Test("Every rule of fields has advice on how to satisfy it")
  func suggestions() {
    let rules = words.keys(.english).filter { $0.hasPrefix("field.") && !$0.hasSuffix(".suggestion") }
    #expect(rules.count > 20)
    for rule in rules {
      for language in Language.allCases { #expect(words.parameters("\(rule).suggestion", language) != nil, "\(rule)") }
    }
  }

  @Test("Texts are filled with values")
  func parameters() {
    #expect(words.text("field.too_long", .english, ["max": .number(20)]) == "This may have at most 20 characters.")
    #expect(words.text("nothing", .english) == nil)
  }

  @Test("Texts write numbers in the language's way, with its decimal mark")
  func decimals() throws {
    let problem = FieldProblem(field: "amount", FieldRule("out_of_range", ["min": .decimal(0.001), "max": .number(1000)]))
    // As it comes out of the strict decoder at one end of the bus, and in at the other.
    let parameters = try FieldProblem.decode(problem.json).parameters
    #expect(parameters == problem.parameters)
    #expect(words.text("field.out_of_range", .english, parameters) == "This must be from 0.001 to 1000.")
    #expect(words.text("field.out_of_range", .spanish, parameters) == "Debe estar entre 0,001 y 1000.")
    let text = words.text("field.out_of_range", .spanish, ["min": .text("1.5.2026"), "max": .text("2.5")])
    #expect(text == "Debe estar entre 1.5.2026 y 2.5.")
  }

  @Test(
    "Texts express times in days, hours, minutes and seconds",
    arguments: [
      (0, "0 seconds", "0 segundos"), (1, "1 second", "1 segundo"), (59, "59 seconds", "59 segundos"),
      (60, "1 minute", "1 minuto"), (300, "5 minutes", "5 minutos"), (90, "1 minute and 30 seconds", "1 minuto y 30 segundos"),
      (3600, "1 hour", "1 hora"), (7205, "2 hours and 5 seconds", "2 horas y 5 segundos"),
      (90_061, "1 day, 1 hour, 1 minute and 1 second", "1 día, 1 hora, 1 minuto y 1 segundo"), (172_800, "2 days", "2 días"),
    ])
  func durations(seconds: Int, english: String, spanish: String) {
    let parameters = ["seconds": Parameter.number(seconds)]
    #expect(words.text("failure.rate_limited", .english, parameters) == "Too many requests. Try again in \(english).")
    #expect(
      words.text("failure.rate_limited", .spanish, parameters)
        == "Demasiadas peticiones. Vuelve a intentarlo dentro de \(spanish).")
  }

  @Test(
    "Texts group the digits of numbers if requested, in the language's way",
    arguments: [
      (Parameter.number(999), "999", "999"), (.number(1000), "1,000", "1000"), (.number(12_500), "12,500", "12.500"),
      (.number(1_234_567), "1,234,567", "1.234.567"), (.number(-25_000), "-25,000", "-25.000"),
      (.decimal(12_500.5), "12,500.5", "12.500,5"), (.text("12500 m"), "12,500 m", "12.500 m"), (.text("none"), "none", "none"),
    ])
  func grouped(value: Parameter, english: String, spanish: String) {
    #expect(words.filled("{count:grouped}", .english, ["count": value]) == english)
    #expect(words.filled("{count:grouped}", .spanish, ["count": value]) == spanish)
  }

  @Test("A text uses its own language's value of a translated parameter")
  func translated() {
    let both = ["title": Parameter.text("Ten thousand"), "title.es": .text("Diez mil")]
    #expect(words.filled("“{title:translated}”", .english, both) == "“Ten thousand”")
    #expect(words.filled("«{title:translated}»", .spanish, both) == "«Diez mil»")
    #expect(words.filled("«{title:translated}»", .spanish, ["title": .text("Walk")]) == "«Walk»")
  }

  @Test("Codes in a text are replaced by words, and unknown codes stay as they are")
  func codes() {
    func text(_ reason: String) -> String? {
      words.text("failure.invalid_json", .spanish, ["reason": .text(reason), "line": .number(2), "byte": .number(7)])
    }
    #expect(
      text("json_malformed") == "Esto no es JSON aceptable: en la línea 2, byte 7, hay algo que JSON no permite ahí.")
    #expect(text("sin más") == "Esto no es JSON aceptable: sin más.")
    #expect(words.parameters("failure.invalid_json", .spanish) == ["reason"])
  }
}
