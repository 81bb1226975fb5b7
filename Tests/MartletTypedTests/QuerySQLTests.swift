import MartletTyped
import Testing

@Suite struct QuerySQLTests {
  let users = Table("users"), posts = Table("posts")
  let id = Expression<Int64>("id"), email = Expression<String>("email")
  let age = Expression<Int?>("age"), admin = Expression<Bool>("admin")
  let optionalAdmin = Expression<Bool?>("admin")
  let userId = Expression<Int64>("user_id"), published = Expression<Bool>("published")
  let managerId = Expression<Int64>("manager_id")

  @Test func `selecting`() {
    expectSQL("SELECT * FROM \"users\"", users)
    expectSQL("SELECT \"email\" FROM \"users\"", users.select(email))
    expectSQL("SELECT \"email\", \"age\" FROM \"users\"", users.select(email, age))
    expectSQL("SELECT DISTINCT \"age\" FROM \"users\"", users.select(distinct: age))
    expectSQL(
      "SELECT DISTINCT \"age\", \"admin\" FROM \"users\"", users.select(distinct: age, admin))
    expectSQL("SELECT DISTINCT * FROM \"users\"", users.select(distinct: *))
    expectSQL("SELECT * FROM \"users\"", users.select(*))
    expectSQL("SELECT \"users\".* FROM \"users\"", users.select(users[*]))
    expectSQL("SELECT count(*) FROM \"users\"", users.count)
    expectSQL("SELECT max(\"id\") FROM \"users\"", users.select(id.max))
    expectSQL("SELECT count(DISTINCT \"age\") FROM \"users\"", users.select(age.distinct.count))
    expectSQL("SELECT EXISTS (SELECT * FROM \"users\")", users.exists)
    expectSQL("SELECT * FROM \"db\".\"users\"", Table("users", database: "db"))
    expectSQL("SELECT * FROM \"v\"", View("v"))
    expectSQL("SELECT * FROM \"vt\"", VirtualTable("vt"))
  }

  @Test func `joining`() {
    expectSQL(
      "SELECT * FROM \"users\" INNER JOIN \"posts\" ON (\"posts\".\"user_id\" = \"users\".\"id\")",
      users.join(posts, on: posts[userId] == users[id]))
    expectSQL(
      "SELECT * FROM \"users\" LEFT OUTER JOIN \"posts\" ON (\"user_id\" = \"users\".\"id\")",
      users.join(.leftOuter, posts, on: userId == users[id]))
    expectSQL(
      "SELECT * FROM \"users\" CROSS JOIN \"posts\" ON \"admin\"",
      users.join(.cross, posts, on: optionalAdmin))
    expectSQL(
      "SELECT * FROM \"users\" INNER JOIN \"posts\" ON "
        + "((\"posts\".\"user_id\" = \"users\".\"id\") AND \"published\")",
      users.join(posts.filter(published), on: posts[userId] == users[id]))
    let recent = posts.select(userId, count(*)).group(userId)
    expectSQL(
      "SELECT * FROM \"users\" INNER JOIN (SELECT \"user_id\", count(*) FROM \"posts\" "
        + "GROUP BY \"user_id\") AS \"p\" ON (\"p\".\"user_id\" = \"users\".\"id\")",
      users.join(recent.alias("p"), on: recent.alias("p")[userId] == users[id]))
  }

  @Test func `names of tables`() {
    let managers = users.alias("managers")
    expectSQL("SELECT * FROM \"users\" AS \"managers\"", managers)
    expectSQL(
      "SELECT * FROM \"users\" INNER JOIN \"users\" AS \"managers\" "
        + "ON (\"managers\".\"id\" = \"users\".\"manager_id\")",
      users.join(managers, on: managers[id] == users[managerId]))
    expectSQL("\"users\".\"id\"", users[id])
    expectSQL("\"users\".\"id\"", users.namespace(id))
    expectSQL("\"db\".\"users\".\"id\"", Table("users", database: "db")[id])
    expectSQL("\"managers\".*", managers[*])
  }

  @Test func `filtering, grouping and sorting`() {
    expectSQL("SELECT * FROM \"users\" WHERE (\"age\" > 30)", users.filter(age > 30))
    expectSQL("SELECT * FROM \"users\" WHERE \"admin\"", users.where(admin))
    expectSQL(
      "SELECT * FROM \"users\" WHERE ((\"age\" >= 35) AND \"admin\")",
      users.filter(age >= 35).filter(optionalAdmin))
    expectSQL("SELECT * FROM \"users\" GROUP BY \"age\"", users.group(age))
    expectSQL("SELECT * FROM \"users\" GROUP BY \"age\", \"admin\"", users.group(age, admin))
    expectSQL(
      "SELECT * FROM \"users\" GROUP BY \"age\" HAVING \"admin\"", users.group(age, having: admin))
    expectSQL(
      "SELECT * FROM \"users\" GROUP BY \"age\", \"admin\" HAVING (\"age\" >= 30)",
      users.group([age, admin], having: age >= 30))
    expectSQL(
      "SELECT * FROM \"users\" ORDER BY \"email\", \"age\" DESC", users.order(email, age.desc))
    expectSQL("SELECT * FROM \"users\" ORDER BY \"age\"", users.order(email).order(age))
    expectSQL("SELECT * FROM \"users\" LIMIT 5", users.limit(5))
    expectSQL("SELECT * FROM \"users\" LIMIT 5 OFFSET 10", users.limit(5, offset: 10))
    expectSQL("SELECT * FROM \"users\"", users.limit(5).limit(nil))
    expectSQL(
      "SELECT \"email\" FROM \"users\" WHERE (\"age\" IS NOT NULL) ORDER BY \"email\" DESC, "
        + "\"age\" "
        + "LIMIT 5 OFFSET 1",
      users.select(email).filter(age != nil).order(email.desc, age).limit(5, offset: 1))
  }

  @Test func `unions and common tables`() {
    expectSQL(
      "SELECT * FROM \"users\" UNION SELECT * FROM \"posts\"", users.union(posts))
    expectSQL(
      "SELECT * FROM \"users\" WHERE (\"id\" = 1) UNION ALL SELECT * FROM \"posts\" "
        + "WHERE (\"id\" = 2) ORDER BY \"id\" LIMIT 3",
      users.filter(id == 1).union(all: true, posts.filter(id == 2)).order(id).limit(3))
    let temp = Table("temp")
    expectSQL(
      "WITH \"temp\" AS (SELECT * FROM \"users\" WHERE (\"id\" = 7)) SELECT * FROM \"temp\"",
      temp.with(temp, as: users.filter(id == 7)))
    expectSQL(
      "WITH \"temp\" (\"id\", \"email\") AS (SELECT * FROM \"users\") SELECT * FROM \"temp\"",
      temp.with(temp, columns: [id, email], as: users))
    expectSQL(
      "WITH RECURSIVE \"temp\" AS NOT MATERIALIZED (SELECT * FROM \"users\") "
        + "SELECT * FROM \"temp\"",
      temp.with(temp, recursive: true, hint: .notMaterialized, as: users))
    expectSQL(
      "WITH \"temp\" AS MATERIALIZED (SELECT * FROM \"users\"), "
        + "\"more\" AS (SELECT * FROM \"posts\") "
        + "SELECT * FROM \"temp\"",
      temp.with(temp, hint: .materialized, as: users).with(Table("more"), as: posts))
  }

  @Test func `inserting`() {
    expectSQL(
      "INSERT INTO \"users\" (\"email\", \"age\") VALUES ('a@b.c', 30)",
      users.insert(email <- "a@b.c", age <- 30))
    expectSQL(
      "INSERT OR REPLACE INTO \"users\" (\"email\", \"age\") VALUES ('a@b.c', NULL)",
      users.insert(or: .replace, email <- "a@b.c", age <- nil))
    expectSQL("INSERT INTO \"users\" DEFAULT VALUES", users.insert())
    expectSQL("INSERT OR IGNORE INTO \"users\" DEFAULT VALUES", users.insert(or: .ignore))
    expectSQL(
      "INSERT INTO \"emails\" SELECT \"email\" FROM \"users\" WHERE \"admin\"",
      Table("emails").insert(users.select(email).filter(admin)))
    expectSQL(
      "INSERT INTO \"users\" (\"email\", \"age\") VALUES ('a', 1), ('b', 2)",
      users.insertMany([[email <- "a", age <- 1], [email <- "b", age <- 2]]))
    expectSQL(
      "INSERT OR FAIL INTO \"users\" (\"email\", \"age\", \"id\") VALUES "
        + "('a', 1, NULL), (NULL, 2, 3)",
      users.insertMany(or: .fail, [[email <- "a", age <- 1], [age <- 2, id <- 3]]))
    expectSQL(
      "INSERT INTO \"users\" (\"email\", \"age\") VALUES ('a', 1) "
        + "ON CONFLICT (\"email\") DO UPDATE SET \"age\" = \"excluded\".\"age\"",
      users.upsert(email <- "a", age <- 1, onConflictOf: email))
    expectSQL(
      "INSERT INTO \"users\" (\"email\") VALUES ('a') "
        + "ON CONFLICT (\"email\") DO UPDATE SET \"age\" = 2",
      users.upsert(email <- "a", onConflictOf: email, set: [age <- 2]))
    expectSQL(
      "INSERT INTO \"users\" (\"email\") VALUES ('a') ON CONFLICT (\"email\") DO NOTHING",
      users.upsert(email <- "a", onConflictOf: email))
  }

  @Test func `updating and deleting`() {
    expectSQL(
      "UPDATE \"users\" SET \"age\" = 30, \"admin\" = 1 WHERE (\"id\" = 1)",
      users.filter(id == 1).update(age <- 30, admin <- true))
    expectSQL("UPDATE \"users\" SET \"email\" = 'a'", users.update(users[email] <- "a"))
    expectSQL(
      "UPDATE \"users\" SET \"age\" = 30 ORDER BY \"id\" LIMIT 1",
      users.order(id).limit(1).update(age <- 30))
    expectSQL("DELETE FROM \"users\" WHERE (\"id\" = 1)", users.filter(id == 1).delete())
    expectSQL("DELETE FROM \"users\" ORDER BY \"id\" LIMIT 1", users.order(id).limit(1).delete())
  }
}
