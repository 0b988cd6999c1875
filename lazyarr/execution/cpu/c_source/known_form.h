/* The form of an expression that came before, for a plan to be entered under. */

#ifndef LAZYARR_KNOWN_FORM_H
#define LAZYARR_KNOWN_FORM_H

#include "expression_walk.h"

/* It keeps leaves and scalars, and what the key points to. Other nodes are only compared with: that a
   program uses them shows in their reference counts. */
typedef struct {
    PyObject_HEAD
    size_t hash;
    Py_ssize_t words, nodes, leaves, scalars;
    size_t *key;
    PyObject *references;
    Node **order, **leaf, **scalar;
    char *repeated;
} Form;

static void
form_dealloc(Form *self)
{
    for (Py_ssize_t k = 0; k < self->leaves; k++) {
        Py_XDECREF(self->leaf[k]);
    }
    for (Py_ssize_t k = 0; k < self->scalars; k++) {
        Py_XDECREF(self->scalar[k]);
    }
    Py_XDECREF(self->references);
    void *arrays[] = {self->key, self->order, self->leaf, self->scalar, self->repeated};
    for (size_t k = 0; k < Py_ARRAY_LENGTH(arrays); k++) {
        PyMem_Free(arrays[k]);
    }
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Return the identities of the nodes that an earlier evaluation has computed. */
static PyObject *
form_repeated(Form *self, void *Py_UNUSED(closure))
{
    PyObject *names = PyFrozenSet_New(NULL);
    for (Py_ssize_t k = 0; names != NULL && k < self->nodes; k++) {
        PyObject *name = self->repeated[k] ? PyLong_FromVoidPtr(self->order[k]) : NULL;
        if (self->repeated[k] && (name == NULL || PySet_Add(names, name) < 0)) {
            Py_CLEAR(names);
        }
        Py_XDECREF(name);
    }
    return names;
}

static PyGetSetDef form_fields[] = {
    {"repeated", (getter)form_repeated, NULL,
     "Identities of the nodes that were computed before.", NULL},
    {NULL},
};

static PyTypeObject Form_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.execution.cpu._known_plans.Form",
    .tp_doc = "An expression that came before, written down.",
    .tp_basicsize = sizeof(Form),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)form_dealloc,
    .tp_getset = form_fields,
};

/* Return what the key of a form points to. */
static PyObject *
pointed_to(const Walk *walk)
{
    PyObject *references = PyList_New(0);
    for (Py_ssize_t k = 0; references != NULL && k < walk->nodes; k++) {
        Node *node = walk->order[k];
        PyObject *attr = walk->attributes[k];
        if (PyList_Append(references, node->op) < 0 || PyList_Append(references, node->dtype) < 0
            || (attr != NULL && PyList_Append(references, attr) < 0)
            || (node->op == state.constant && node->special == 2
                && PyList_Append(references, (PyObject *)node) < 0)) {
            Py_CLEAR(references);
        }
    }
    return references;
}

static void *
copied(const void *values, Py_ssize_t count, size_t each)
{
    void *copy = zeroed(count, each);
    return copy == NULL ? NULL : memcpy(copy, values, count * each);
}

static PyObject *
new_form(const Walk *walk)
{
    Form *form = (Form *)Form_Type.tp_alloc(&Form_Type, 0);
    if (form == NULL) {
        return NULL;
    }
    form->hash = walk->hash;
    form->words = walk->words;
    form->nodes = walk->nodes;
    if ((form->key = copied(walk->key, walk->words, sizeof(size_t))) == NULL
        || (form->order = copied(walk->order, walk->nodes, sizeof(Node *))) == NULL
        || (form->repeated = copied(walk->repeated, walk->nodes, 1)) == NULL
        || (form->leaf = copied(walk->leaves, walk->leaf_count, sizeof(Node *))) == NULL
        || (form->scalar = copied(walk->scalars, walk->scalar_count, sizeof(Node *))) == NULL
        || (form->references = pointed_to(walk)) == NULL) {
        Py_DECREF(form);
        return NULL;
    }
    while (form->leaves < walk->leaf_count) {
        Py_INCREF(form->leaf[form->leaves++]);
    }
    while (form->scalars < walk->scalar_count) {
        Py_INCREF(form->scalar[form->scalars++]);
    }
    return (PyObject *)form;
}

#endif
