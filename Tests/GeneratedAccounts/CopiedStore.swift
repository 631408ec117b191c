import Foundation
import GRDB
import Operations

/// What of a store is copied: the rows that name an id of the era, or a number of such a row.
///
/// It is read from the store and its schema, so that a new table is copied without being named here.
struct CopiedStore {
  let tables: [CopiedTable]

  private struct Column {
    let name: String
    let position: Int
    /// 0 where it is no part of the key.
    let key: Int
    let type: String
  }

  private struct Table {
    let name: String
    let columns: [Column]
    let rows: [Row]
    /// The column that is a whole number and the key, if there is one.
    let number: String?
    var isCopied: [Bool]
  }

  init(_ service: ServiceName, _ era: Era, in database: Database) throws {
    let spaces = NumberSpaces.of(service)
    var tables = try CopiedStore.read(except: spaces.derived.union(NumberSpaces.ofStores), in: database)
    var copied: [String: Set<Int64>] = [:]
    /// The number of another table in a column, and how far it lies from the right.
    func reference(_ table: Table, _ column: String) -> NumberSpaces.Reference? {
      spaces.references["\(table.name).\(column)"] ?? (table.number == column ? .init(table.name) : nil)
    }
    /// Whether an account that is not copied has a part in a row, as an administrator has in what it is told.
    func namesOthers(_ table: Table, _ row: Row) -> Bool {
      table.columns.contains { column in
        guard column.name.contains("account"), case .blob(let bytes) = (row[column.name] as DatabaseValue).storage else {
          return false
        }
        return era.window(bytes) == nil
      }
    }
    func namesCopied(_ table: Table, _ row: Row) -> Bool {
      guard !namesOthers(table, row) else { return false }
      return table.columns.contains { column in
        switch (row[column.name] as DatabaseValue).storage {
        case .blob(let bytes): return era.window(bytes) != nil && !spaces.pointers.contains("\(table.name).\(column.name)")
        case .int64(let number):
          // A number of a table of which all is copied says nothing about who the row is of.
          guard let reference = spaces.references["\(table.name).\(column.name)"], !spaces.whole.contains(reference.table)
          else { return false }
          return copied[reference.table]?.contains(number >> reference.shift) ?? false
        default: return false
        }
      }
    }
    // Until nothing more is found: a number may be known only after the row that has it.
    var isChanged = true
    while isChanged {
      isChanged = false
      for index in tables.indices {
        for (position, row) in tables[index].rows.enumerated() where !tables[index].isCopied[position] {
          guard spaces.whole.contains(tables[index].name) || namesCopied(tables[index], row) else { continue }
          tables[index].isCopied[position] = true
          isChanged = true
          if let number = tables[index].number, spaces.references["\(tables[index].name).\(number)"] == nil {
            copied[tables[index].name, default: []].insert(row[number])
          }
        }
      }
    }
    if let transfers = tables.first(where: { $0.name == "transfers" }), transfers.isCopied.contains(false) {
      throw CopyFailure.foreignTransfer
    }
    var strides: [String: Int64] = [:]
    for table in tables {
      guard let number = table.number else { continue }
      let numbers = table.rows.map { $0[number] as Int64 }
      strides[table.name] = (numbers.max() ?? 0) - (numbers.min() ?? 0) + 1
    }
    self.tables = tables.map { table in
      let rows = zip(table.rows, table.isCopied).filter(\.1).map(\.0)
      return CopiedTable(
        name: table.name, columns: table.columns.map(\.name),
        rows: rows.map { row in
          table.columns.map { column in
            let value = row[column.name] as DatabaseValue
            switch value.storage {
            case .blob(let bytes):
              if let window = era.window(bytes) { return .id(window, bytes.dropFirst(4)) }
              return NumberSpaces.secrets.contains(column.name) ? .secret(bytes) : .same(value)
            case .string(let text):
              let marked = CopiedTable.marked(text, era)
              if let (word, other) = spaces.texts["\(table.name).\(column.name)"], marked.hasPrefix(word),
                let number = Int64(marked.dropFirst(word.count).prefix { $0 != "/" }), let stride = strides[other]
              {
                let rest = marked.dropFirst(word.count).drop { $0 != "/" }
                return .numbered(word + CopiedTable.numberMark + rest, number, stride: stride)
              }
              return marked == text ? .same(value) : .text(marked)
            case .int64(let number):
              if spaces.hashes.contains("\(table.name).\(column.name)") { return .hash(number) }
              guard let reference = reference(table, column.name), let stride = strides[reference.table],
                copied[reference.table]?.contains(number >> reference.shift) ?? false
              else { return .same(value) }
              return .number(number, stride: stride << reference.shift)
            default: return .same(value)
            }
          }
        })
    }
  }

  private static func read(except others: Set<String>, in database: Database) throws -> [Table] {
    let names = try String.fetchAll(
      database, sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    return try names.filter { !$0.hasPrefix("sqlite_") && !others.contains($0) }.map { name in
      let columns = try Row.fetchAll(database, sql: "SELECT cid, name, type, pk FROM pragma_table_info(?)", arguments: [name]).map
      {
        Column(name: $0["name"], position: $0["cid"], key: $0["pk"], type: $0["type"])
      }
      let keys = columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }
      let order = keys.isEmpty ? "rowid" : keys.map { "\"\($0.name)\"" }.joined(separator: ", ")
      let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(name)\" ORDER BY \(order)")
      return Table(
        name: name, columns: columns, rows: rows, number: keys.count == 1 && keys[0].type == "INTEGER" ? keys[0].name : nil,
        isCopied: rows.map { _ in false })
    }
  }
}
